# SPDX-License-Identifier: Apache-2.0
# Every target sets up what it needs in .venv; nothing is installed anywhere else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
VENV_XLA := .venv-xla
READY_XLA := $(VENV_XLA)/.ready
VENV_JAX := .venv-jax
READY_JAX := $(VENV_JAX)/.ready

# Compiled modules make every start several times faster, whatever the surroundings prefer.
export PYTHONDONTWRITEBYTECODE =

# Exactly what the last passing check had. `make clean; make CONSTRAINTS= check constraints` takes the newest instead.
CONSTRAINTS ?= --constraint constraints.txt
# Two for each core, since half of what tests take is waiting for processes; up to eight. Long tests are together in their
# files, so a worker that has no more takes over from another.
WORKERS ?= $(shell expr 2 '*' $$(nproc))
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --maxprocesses 8 --dist worksteal
FAST := -m 'not slow and not xla and not jax'
.PHONY: demo quick test test-slow laws paced measure again coverage test-xla test-jax check lint types contracts format pictures screenshots recording reference constraints clean

demo: $(READY)  ## open the app on the sample checkout
	TTMATRIX_HOME=$(CURDIR)/build/home $(BIN)/ttmatrix demo build/demo

quick: $(READY)  ## the inner loop, in a minute: the tests that are neither slow nor long, ten examples for each law
	$(PYTEST) --numprocesses auto -m 'not slow and not long and not xla and not jax' --hypothesis-profile=quick

test: $(READY)  ## run all tests but those of test-slow, test-xla and test-jax
	$(PYTEST) $(FAST)

test-slow: $(READY)  ## run the tests that start models, schedulers, other machines or apps in terminals
	$(PYTEST) -m 'slow and not xla and not jax'

laws: $(READY)  ## run the tests of laws with 1,000 examples each, which differ in each run
	$(PYTEST) -m 'hypothesis and not slow and not xla and not jax' --hypothesis-profile=thorough

paced: $(READY)  ## run the tests of screens with threads that answer late, then with threads that have answered before each step
	$(PYTEST) -p tests.paced --pace late $(FAST) tests/tui
	$(PYTEST) -p tests.paced --pace early $(FAST) tests/tui

measure: $(READY)  ## run the tests that are not slow and write tests/long.txt, the list of those that `make quick` leaves out
	$(PYTEST) -p tests.measured $(FAST) --hypothesis-profile=quick

again: $(READY)  ## run the tests that failed last time, one after the other
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none -v

# By the tests that are not slow: what the others prove happens in processes that nothing measures. Whether tests pass is
# for `make test` to say: with coverage they take three times as long, which some are not made for.
coverage: $(READY)  ## run the tests that are not slow; compare the branch coverage of each package with its floor
	mkdir -p build/coverage
	rm -f build/coverage/report.json
	-$(PYTEST) $(FAST) --hypothesis-profile=quick --cov --cov-report=json:build/coverage/report.json
	$(BIN)/python -m tests.floors build/coverage/report.json

test-xla: $(READY) $(READY_XLA)  ## run the tests that need torch-xla (7 GB, made once in .venv-xla), on up to four cores
	TTMATRIX_XLA_PYTHON=$(CURDIR)/$(VENV_XLA)/bin/python $(PYTEST) --numprocesses auto --maxprocesses 4 -m xla

test-jax: $(READY) $(READY_JAX)  ## run the tests that need jax (0.7 GB, made once in .venv-jax, beside the torch of .venv)
	TTMATRIX_JAX_PYTHON=$(CURDIR)/$(VENV_JAX)/bin/python $(BIN)/python -m pytest -m jax tests/jax

check: lint types contracts test test-slow  ## everything a change must pass

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

pictures: $(READY)  ## keep how the screens look now, where a test says that they look otherwise; read the difference first
	$(BIN)/python -m pytest tests/tui/test_pictures.py tests/tui/test_themes.py --snapshot-update

screenshots: $(READY)  ## make screenshots/*.svg anew; a test compares them, and `make pictures` makes them too
	$(BIN)/python -m pytest tests/tui/test_pictures.py -k screenshots --snapshot-update

recording: $(READY)  ## record the main job anew: docs/demo.cast and docs/demo.svg, in a minute
	$(BIN)/python -m tests.recording docs

reference: $(READY)  ## make docs/commands.md, docs/keys.md, docs/json.md, the manual page, the schemas and the packages on docs/architecture.md anew
	$(BIN)/python -m tests.reference docs
	$(BIN)/python -m tests.picture docs/architecture.md

constraints: $(READY) $(READY_XLA) $(READY_JAX)  ## write constraints.txt from what is installed
	{ grep '^#' constraints.txt; { \
		$(BIN)/python -m pip --disable-pip-version-check list --format freeze --exclude-editable; \
		$(VENV_XLA)/bin/python -m pip --disable-pip-version-check list --format freeze --exclude setuptools; \
		$(VENV_JAX)/bin/python -m pip --disable-pip-version-check list --format freeze --exclude setuptools \
			--path $$($(VENV_JAX)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	} | grep -vE '^(pip|torch|torch-xla|triton|nvidia-.*)==' | sort -fu; } > $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt $@.txt

clean:
	rm -rf $(VENV) $(VENV_XLA) $(VENV_JAX) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(CONSTRAINTS) --editable '.[cpu,dev]'
	touch $@

# pip's cache would double the 7 GB.
$(READY_XLA): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV_XLA)
	$(VENV_XLA)/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check $(CONSTRAINTS) \
		$$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["xla"])') \
		numpy 'pytest>=9' pyyaml
	touch $@

# torch, which base.py of every models tree imports, and pytest are those of .venv: what lies there counts as installed.
$(READY_JAX): pyproject.toml constraints.txt $(READY)
	$(PYTHON) -m venv $(VENV_JAX)
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> $$($(VENV_JAX)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/_below.pth
	$(VENV_JAX)/bin/python -m pip install --quiet --disable-pip-version-check $(CONSTRAINTS) \
		$$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["jax"])')
	touch $@
