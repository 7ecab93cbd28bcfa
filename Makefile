# Every target makes .venv when it is missing and installs into it what that target needs, again whenever pyproject.toml
# changes. PYTHON names the interpreter the environment is made with; ARGS is handed to the command a target runs.
# NIGHTLY, for `make test-nightly`, is the address of an index with scientific Python's nightly wheels.

PYTHON ?= python3
ARGS ?=
NIGHTLY ?=
VENV := .venv
RUN := $(VENV)/bin/python

FAST := not (slow or long or browser or cluster or kill or paper)
# What can differ between versions: kernels, special functions, optimisers, random draws, scikit-learn's conventions.
ACROSS_VERSIONS := $(addprefix tests/,special votes posteriors risks bounds solvers learning \
    $(addprefix certificate/test_,tested.py certificate.py honest.py precise.py) classifier/test_estimator_checks.py)
CORE_TESTS_NEED := pytest pytest-xdist hypothesis mpmath python-flint

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-long test-gpu test-lowest test-newest test-nightly test-dist lint bench docs paper \
    picture dist release clean
.NOTPARALLEL:

# These run one process per core. Linear algebra with threads of its own would only wait for a core: beside other work,
# fits by L-BFGS then take six times as long.
test test-all test-long test-lowest test-newest test-nightly docs: export OMP_NUM_THREADS := 1

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.stamp-cli  ## certify a vote of seven models on handwritten digits, print the certificate, write the report
	@mkdir -p build
	@$(VENV)/bin/stocmv certify digits --voters models --out build/demo --force $(ARGS)

test: $(VENV)/.stamp-dev  ## run the fast tests and the docstrings' examples
	@$(RUN) -m pytest -n auto --dist worksteal -m '$(FAST)' $(ARGS)

test-all: $(VENV)/.stamp-dev  ## run all tests but the long ones: also simulations, browser, cluster, kills and the paper
	@$(RUN) -m pytest -n auto --dist worksteal -m 'not long' $(ARGS)

test-long: $(VENV)/.stamp-dev  ## run the simulations and samples that repeat a smaller one of test-all
	@$(RUN) -m pytest -n auto --dist worksteal -m long $(ARGS)

test-gpu: $(VENV)/.stamp-dev  ## run the tests of votes on a GPU, where there is one with CuPy
	@$(RUN) -m pytest tests/votes/test_gpu.py -rs $(ARGS)

test-lowest: build/lowest/.stamp  ## run the tests of what can differ with the lowest versions that pyproject.toml allows
test-newest: build/newest/.stamp  ## run the same with the newest Python that is installed
test-nightly: build/nightly/.stamp  ## run the same with scipy and scikit-learn as built last night
test-lowest test-newest test-nightly: test-%:
	@NUMBA_CACHE_DIR=build/$*/numba build/$*/bin/python -m pytest $(ACROSS_VERSIONS) -n auto --dist worksteal -m '$(FAST)' $(ARGS)

test-dist: dist  ## try the wheel and the source archive in empty environments, and run the unpacked archive's fast tests
	@PYTHON='$(PYTHON)' .ci/try_dist $(ARGS)

lint: $(VENV)/.stamp-dev  ## check style, format, types, and what the rooms import
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy
	@PYTHONPATH=tests $(VENV)/bin/lint-imports --no-logo

bench: $(VENV)/.stamp-bench  ## run the benchmarks
	@$(RUN) benchmarks/install_betaincder.py || true  # without it the section that needs it says so
	@$(RUN) -m benchmarks $(ARGS)

docs: $(VENV)/.stamp-docs  ## build the pages into docs/_build/html
	@rm -rf docs/generated  # else the page of a name that is gone stays and warns
	@$(RUN) -m sphinx -j auto -W --keep-going -b html docs docs/_build/html $(ARGS)

paper: $(VENV)/.stamp-paper  ## reproduce the paper into build/paper: ARGS="table1 --trials 2", by default all of it
	@$(RUN) -m reproduction $(or $(ARGS),all)

picture: $(VENV)/.stamp-dev demo  ## take the README's picture of the report (needs chromium)
	@$(RUN) docs/take_picture.py build/demo/report.html docs/images/report.png

dist: build/dist-tools/.stamp  ## build wheel and source archive into dist/, check them and CITATION.cff
	@rm -rf dist
	@build/dist-tools/bin/hatchling build -d dist
	@build/dist-tools/bin/twine check --strict dist/*
	@build/dist-tools/bin/cffconvert --validate

release:  ## check everything that a release needs; ARGS=--tag also tags it
	@PYTHON='$(PYTHON)' $(PYTHON) .ci/release.py $(ARGS)

clean:  ## remove what the targets above wrote, all but .venv
	@rm -rf build dist docs/_build docs/auto_examples docs/generated .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -path ./$(VENV) -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "stocmv needs Python 3.11 or newer, which '$(PYTHON)' is not: name one that is, as in 'make test PYTHON=python3.12'." >&2; \
	    exit 1; }
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp per extra of pyproject.toml.
$(VENV)/.stamp-%: pyproject.toml $(VENV)/.stamp-venv
	@echo "Installing stocmv[$*] into $(VENV)"
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable '.[$*]'
	@touch $@

# The core alone, in environments of its own.
build/lowest/.stamp: pyproject.toml .ci/lowest_versions.py
	@$(PYTHON) -m venv --clear build/lowest
	@$(PYTHON) .ci/lowest_versions.py > build/lowest/constraints.txt
	@build/lowest/bin/python -m pip install -qq --constraint build/lowest/constraints.txt --editable . $(CORE_TESTS_NEED)
	@touch $@

# Not numpy: numba refuses versions that it does not know.
build/nightly/.stamp: pyproject.toml
	@[ -n "$(NIGHTLY)" ] || { \
	    echo "Name the index with the nightly wheels of scientific Python: make test-nightly NIGHTLY=https://..." >&2; \
	    exit 1; }
	@$(PYTHON) -m venv --clear build/nightly
	@build/nightly/bin/python -m pip install -qq --editable . $(CORE_TESTS_NEED)
	@build/nightly/bin/python -m pip install -qq --upgrade --pre --extra-index-url '$(NIGHTLY)' scipy scikit-learn
	@build/nightly/bin/python -m pip list | grep -E '^(numba|numpy|scikit-learn|scipy) '
	@touch $@

# An environment of its own: cffconvert needs old versions of what other tools need new.
build/dist-tools/.stamp:
	@$(PYTHON) -m venv --clear build/dist-tools
	@build/dist-tools/bin/python -m pip install -qq hatchling twine cffconvert
	@touch $@

build/newest/.stamp: pyproject.toml
	@newest=$$(for minor in 16 15 14 13 12; do \
	    for python in python3.$$minor "$$HOME"/.pyenv/versions/3.$$minor.*/bin/python; do \
	        if "$$python" -c '' 2>/dev/null; then echo "$$python"; break 2; fi; \
	    done; \
	done); \
	if [ -z "$$newest" ]; then echo "There is no Python newer than 3.11 here." >&2; exit 1; fi; \
	"$$newest" --version; "$$newest" -m venv --clear build/newest
	@build/newest/bin/python -m pip install -qq --editable . $(CORE_TESTS_NEED)
	@touch $@
