"""The tables of docs/results/datasets.md are those of the registry."""

from pathlib import Path

import pytest

from reproduction.datasets import PUBLIC

PAGE = Path(__file__).parents[3] / "docs" / "results" / "datasets.md"


def sets_table():
    yield "| name | examples | features | classes | training part | licence, as far as known |"
    yield "|---|---:|---:|---:|---:|---|"
    for known in PUBLIC.values():
        sizes = f"{known.n:,} | {known.n_features} | {len(known.target_names)}"
        yield f"| `{known.name}` | {sizes} | {f'{known.n_train:,} ' if known.n_train else ''}| {known.licence} |"


def files_table():
    yield "| name | files | SHA-256 of the files | SHA-256 of the values |"
    yield "|---|---|---|---|"
    for known in PUBLIC.values():
        links = "<br>".join(f"[{file.filename}]({file.url})" for file in known.files)
        of_files = "known" if all(file.sha256 for file in known.files) else "not known"
        of_values = f"`{known.arrays_sha256[:12]}…`" if known.arrays_sha256 else "not known"
        yield f"| `{known.name}` | {links} | {of_files} | {of_values} |"


@pytest.mark.parametrize("table", [sets_table, files_table])
def test_a_table_of_the_page_is_that_of_the_registry(table):
    assert "\n\n" + "\n".join(table()) + "\n\n" in PAGE.read_text(encoding="utf-8"), "\n".join(table())
