# SPDX-License-Identifier: Apache-2.0
# Every target sets up what it needs in .venv; nothing is installed anywhere else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Compiled modules make every start several times faster, whatever the surroundings prefer.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test check lint types contracts format screenshots clean

demo: $(READY)  ## open the app on the sample checkout
	TTMATRIX_HOME=$(CURDIR)/build/home $(BIN)/ttmatrix demo build/demo

test: $(READY)  ## run the tests, on up to four cores
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4

check: lint types contracts test  ## everything a change must pass

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(READY)  ## make screenshots/*.svg anew
	$(BIN)/python -m tests.screenshots screenshots

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[cpu,dev]'
	touch $@
