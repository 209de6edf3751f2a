# Everything a contributor types. Each target sets up what it needs: Python 3.10-3.13 and make are enough to begin.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready
STATE  ?= data
WORKERS ?= 2
CODE   := src tests benchmarks scripts notebooks

.PHONY: demo demo-house run test test-fast check format lint types build deps help-pages bench train requirements clean

demo: $(READY)            ## the main job on a small corpus of our own, offline
	@PINCITE_MIRROR=fixtures/ecfr $(PY) -m pincite run conf/corpora/demo.yml --state $(STATE)/demo
	@echo "next      make demo-house: a folder with a document of each format, citing each other"

demo-house: $(READY)      ## the same job on a folder without configuration: a document of each format, citing each other
	@$(PY) -m pincite run fixtures/house --state $(STATE)/house
	@$(PY) -m pincite query "how often must the wick be trimmed?" --state $(STATE)/house

run: $(READY)             ## the main job on 21 CFR Parts 11, 210 and 211
	@$(PY) -m pincite run conf/corpora/cfr-gmp.yml --state $(STATE)

test: $(READY)            ## every test: fast ones in WORKERS processes, then the embedded engine, then JVM Spark
	$(PY) -m pytest -n $(WORKERS) --dist worksteal -m "not sail and not jvm"
	$(PY) -m pytest -m "sail and not jvm"
	$(PY) -m pytest -m "jvm"

test-fast: $(READY)       ## the tests without an engine, in seconds
	$(PY) -m pytest -n $(WORKERS) --dist worksteal -m "not sail and not jvm and not slow" -q

check: format lint types test build deps help-pages demo demo-house   ## exactly what CI runs

format: $(READY)
	$(VENV)/bin/ruff format --check $(CODE)

lint: $(READY)
	$(VENV)/bin/ruff check $(CODE)

types: $(READY)
	$(VENV)/bin/mypy

build: $(READY)           ## the wheel, and a look into it
	rm -rf dist
	$(PY) -m build --wheel --no-isolation --outdir dist .
	$(PY) scripts/check_wheel.py dist

deps: $(READY)            ## installed packages agree with each other
	$(PY) -m pip check

help-pages: $(READY)      ## every command prints its help
	$(PY) scripts/cli_reference.py --check

bench: $(READY)           ## every benchmark; each prints a ratio beside its anchor
	@for file in benchmarks/*.py; do echo "== $$file"; $(PY) $$file || exit 1; done

train: $(READY)           ## fit the re-ranker and the abstention from the dev parts in PINCITE_BENCHMARKS
	$(PY) -m pincite.rank.train

requirements: $(READY)    ## remake requirements-dev.txt from pyproject.toml
	$(PY) -m pip install -q uv
	$(VENV)/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.10 --generate-hashes \
	  --no-header -q -o requirements-dev.txt

$(READY): requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --require-hashes -r requirements-dev.txt
	$(PY) -m pip install -q --no-deps --no-build-isolation -e .
	$(PY) -m pincite setup
	@touch $(READY)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
