# Every target makes .venv when it is missing and installs into it what that target needs, again whenever pyproject.toml
# changes. PYTHON names the interpreter the environment is made with; ARGS is handed to the command a target runs.

PYTHON ?= python3
ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench docs paper picture clean
.NOTPARALLEL:

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.stamp-cli  ## certify a forest on handwritten digits, print the certificate, write the report
	@mkdir -p build
	@$(VENV)/bin/stocmv certify digits --out build/demo --force $(ARGS)

test: $(VENV)/.stamp-dev  ## run all tests, the slow ones and the docstrings' examples included
	@$(RUN) -m pytest -n auto --dist worksteal $(ARGS)

lint: $(VENV)/.stamp-dev  ## check style, format and types
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

bench: $(VENV)/.stamp-bench  ## run the benchmarks
	@$(RUN) benchmarks/install_betaincder.py || true  # without it the section that needs it says so
	@$(RUN) -m benchmarks $(ARGS)

docs: $(VENV)/.stamp-docs  ## build the pages into docs/_build/html
	@rm -rf docs/generated  # else the page of a name that is gone stays and warns
	@$(RUN) -m sphinx -W --keep-going -b html docs docs/_build/html $(ARGS)

paper: $(VENV)/.stamp-paper  ## reproduce the paper into build/paper: ARGS="table1 --trials 2", by default all of it
	@$(RUN) -m reproduction $(or $(ARGS),all)

picture: $(VENV)/.stamp-dev demo  ## take the README's picture of the report (needs chromium)
	@$(RUN) docs/take_picture.py build/demo/report.html docs/images/report.png

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
