import io
import json
import re

import pytest
from matplotlib.figure import Figure

from reproduction.figures import FIGURES

EVERY = pytest.mark.parametrize("name", FIGURES)
WITH_TRIALS = ("fig-mc", "fig-training", "fig-moons-methods", "fig-noise")
TIMES = ("seconds",)


def without_times(rows):
    return [{key: value for key, value in row.items() if key not in TIMES} for row in rows]


@EVERY
def test_units_are_settings_that_files_can_hold(name):
    for quick in (True, False):
        units = FIGURES[name].units(quick=quick)
        assert units
        assert json.loads(json.dumps(units, allow_nan=False)) == units
        assert len({json.dumps(unit, sort_keys=True) for unit in units}) == len(units)


@pytest.mark.parametrize("name", WITH_TRIALS)
def test_there_are_as_many_trials_as_asked_for(name):
    for trials in (1, 3, 10):
        assert {unit["trial"] for unit in FIGURES[name].units(trials=trials)} == set(range(trials))
    assert {unit["trial"] for unit in FIGURES[name].units(quick=True)} == {0, 1}


@EVERY
def test_every_row_has_all_settings(name, quick_rows):
    places = {json.dumps(unit, sort_keys=True) for unit in FIGURES[name].units(quick=True)}
    names = FIGURES[name].units(quick=True)[0].keys()
    assert {json.dumps({key: row[key] for key in names}, sort_keys=True) for row in quick_rows(name)} == places


@EVERY
def test_rows_follow_from_settings_and_seed(name, quick_rows):
    settings = FIGURES[name].units(quick=True)[-1]
    again = without_times(json.loads(json.dumps(FIGURES[name].compute(settings, seed=0))))
    first = [row for row in quick_rows(name) if all(row[key] == value for key, value in settings.items())]
    assert again == without_times(first)


@pytest.mark.parametrize("name", [*WITH_TRIALS, "fig-moons"])
def test_another_seed_gives_other_rows(name, quick_rows):
    settings = FIGURES[name].units(quick=True)[0]
    first = [row for row in quick_rows(name) if all(row[key] == value for key, value in settings.items())]
    assert without_times(FIGURES[name].compute(settings, seed=1)) != without_times(first)


@EVERY
def test_time_is_in_the_rows_of_one_figure_only(name, quick_rows):
    assert {key for row in quick_rows(name) for key in row if key in TIMES} == (
        set(TIMES) if name == "fig-mc" else set()
    )


@EVERY
def test_draws_a_figure_with_labelled_axes(name, quick_rows):
    figure = FIGURES[name].draw(quick_rows(name))
    assert isinstance(figure, Figure)
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if ax.axison and place.is_last_row():
            assert ax.get_xlabel()
        if ax.axison and place.is_first_col():
            assert ax.get_ylabel()
    file = io.BytesIO()
    figure.savefig(file, dpi=40)
    assert file.tell() > 5000


@EVERY
def test_drawing_leaves_the_rows_as_they_were(name, quick_rows):
    before = json.dumps(quick_rows(name))
    FIGURES[name].draw(quick_rows(name))
    assert json.dumps(quick_rows(name)) == before


@EVERY
def test_says_in_a_sentence_what_it_shows(name):
    module = FIGURES[name]
    assert re.fullmatch(r"[A-Z][^.]*\.", re.sub(r"\d\.\d", "0", module.caption))
