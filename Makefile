# Everything runs inside .venv, which the first target makes. Only Python 3.11+, make and g++ are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard cpp/*/*.cpp cpp/*/*.hpp)
NATIVE := CMakeLists.txt pyproject.toml $(SOURCES)

.DEFAULT_GOAL := help
.PHONY: FORCE help demo test test-oldest test-browser test-databases test-spark test-keepers test-experiments tools sanitize fuzz wheel lint bench docs docs-version format stub clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# An editable install knows the modules that were there: this file is newer where one has come or gone.
$(VENV)/.modules: $(VENV)/bin/python FORCE
	@find src -name '*.py' | sort > $@.now
	@cmp -s $@.now $@ || cp $@.now $@

FORCE:

# `pip install -e` builds the native core; it runs again only when the core, the modules or the dependencies change.
$(VENV)/.installed: $(VENV)/bin/python $(VENV)/.modules $(NATIVE)
	packaging/compiled_once.sh . $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

# The demo needs no test, lint or documentation tools: a smaller install, unless everything is there already.
$(VENV)/.ready: $(VENV)/bin/python $(VENV)/.modules $(NATIVE)
	@test -f $(VENV)/.installed || echo "Installing into $(VENV): a minute or two the first time ..."
	@if test -f $(VENV)/.installed; then $(MAKE) --no-print-directory $(VENV)/.installed; \
		else $(BIN)/pip install --quiet --disable-pip-version-check --editable ".[desk]"; fi
	@touch $@

demo: $(VENV)/.ready ## the whole workflow on real data, results in demo/
	$(BIN)/bayleaf demo --out demo

# Three workers on two cores: some tests wait for processes that they stop. Compiled tests are kept for all three.
test: $(VENV)/.installed ## the tests
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist worksteal

# Libraries in the lowest versions that pyproject.toml allows. Their own warnings are theirs: they do not fail a test.
test-oldest: ## the tests with the oldest libraries allowed
	$(PYTHON) -m venv .venv-oldest
	$(PYTHON) tests/oldest_versions.py > .venv-oldest/oldest.txt
	.venv-oldest/bin/pip install --quiet --disable-pip-version-check -c .venv-oldest/oldest.txt ".[test]"
	.venv-oldest/bin/python -m pytest -n 2 --dist worksteal -o filterwarnings=default tests

# The model page and the studio in a real browser; screenshots go to build/screenshots. Needs chromium (installed where apt can); axe
# looks for what people without a mouse or with poor sight could not use.
test-browser: $(VENV)/.installed ## the model page and the studio in a real browser
	@command -v chromium > /dev/null || (apt-get update -qq && apt-get install -y -qq chromium)
	$(BIN)/pip install --quiet --disable-pip-version-check "playwright>=1.40" "axe-playwright-python>=0.1.4"
	$(BIN)/python -m pytest tests/browser

# Databases by ibis; PostgreSQL with a server of its own in a folder that vanishes (installed where apt can).
test-databases: $(VENV)/.installed ## learning from and answers in PostgreSQL, SQLite and DuckDB
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || (apt-get update -qq && apt-get install -y -qq postgresql)
	$(BIN)/pip install --quiet --disable-pip-version-check \
		"ibis-framework[duckdb,postgres,sqlite]>=10" "sqlglot<29" "psycopg[binary]>=3.2"
	$(BIN)/python -m pytest tests/databases tests/streams/test_databases.py

# Learning and answering on a small Spark of this machine. Needs Java 17 or later (installed where apt can).
test-spark: $(VENV)/.installed ## the tests with Spark
	@command -v java > /dev/null || (apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless)
	$(BIN)/pip install --quiet --disable-pip-version-check "pyspark>=4.0"
	$(BIN)/python -m pytest tests/spark

# skops and MLflow bring many libraries, some of them in older versions: they get an environment of their own.
test-keepers: ## models in skops files and in MLflow
	$(PYTHON) -m venv .venv-keepers
	.venv-keepers/bin/pip install --quiet --disable-pip-version-check ".[test,mlflow]"
	.venv-keepers/bin/python -m pytest -o filterwarnings=default tests/keepers

test-experiments: $(VENV)/.installed ## the experiments that repeat the papers' tables, where the data are
	$(BIN)/python -m pytest tests/experiments

# What the browser, databases and Spark need, in one go: two of these targets side by side must not install at once.
tools: $(VENV)/.installed ## install what the tests of browser, databases and Spark need
	@command -v chromium > /dev/null && command -v java > /dev/null && ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 \
		|| (apt-get update -qq && apt-get install -y -qq chromium postgresql openjdk-17-jre-headless)
	$(BIN)/pip install --quiet --disable-pip-version-check "playwright>=1.40" "axe-playwright-python>=0.1.4" \
		"ibis-framework[duckdb,postgres,sqlite]>=10" "sqlglot<29" "psycopg[binary]>=3.2" "pyspark>=4.0"

# A core that stops at the first access outside an array and the first undefined operation; packaging/watched.sh shows
# the report, after planted faults have been noticed. Without -n, so that one process does everything. How soon a search
# stops is left out: what is watched is slow.
KERNEL_TESTS := tests/test_core_kernels.py $(addprefix tests/,counts data network pool fuzz $(addprefix learn/,parameters scores structure tuning)) tests/classify/test_scorer.py
WATCHERS = $(shell g++ -print-file-name=libasan.so) $(shell g++ -print-file-name=libstdc++.so)
sanitize: ## the tests of the kernels under address and undefined-behaviour sanitizers
	$(PYTHON) -m venv .venv-sanitize
	.venv-sanitize/bin/pip install --quiet --disable-pip-version-check -C cmake.define.BAYLEAF_SANITIZE=ON \
		-C build-dir=build/sanitize -C install.strip=false ".[test]"
	WATCHERS="$(WATCHERS)" packaging/watched.sh .venv-sanitize/bin/python $(KERNEL_TESTS) \
		--ignore tests/learn/structure/test_interrupted_searches.py \
		--ignore tests/learn/structure/test_stopped_exact_search.py

SECONDS ?= 60
fuzz: $(VENV)/.installed ## new random input of every kind for SECONDS=60
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --control
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --seconds $(SECONDS)

wheel: ## source package and manylinux wheel into dist/, each tried in an empty environment
	PYTHON=$(PYTHON) packaging/wheel.sh

lint: $(VENV)/.installed ## ruff, mypy --strict, import-linter, clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)

format: $(VENV)/.installed ## repair what the linters can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(SOURCES)

# The type stub of the native core is generated; tests/test_stub.py compares it with the compiled module.
stub: $(VENV)/.installed ## write the type stub of the native core
	$(BIN)/python -m nanobind.stubgen -m bayleaf._core -o src/bayleaf/_core.pyi

bench: $(VENV)/.installed ## speed against peers, into benchmarks/results/ and the pages
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[bench]"
	$(BIN)/python benchmarks/run_all.py
	$(BIN)/python docs/measured_tables.py

docs: $(VENV)/.installed ## the site, strictly
	$(BIN)/mkdocs build --strict

# mike keeps every version in the branch gh-pages of this clone; pushing that branch publishes them.
docs-version: $(VENV)/.installed ## the site of this version, beside those of earlier ones, in the branch gh-pages
	$(BIN)/pip install --quiet --disable-pip-version-check "mike>=2.1"
	$(BIN)/mike deploy --config-file mkdocs-versioned.yml --update-aliases "$$($(BIN)/python packaging/version.py)" latest
	$(BIN)/mike set-default --config-file mkdocs-versioned.yml latest

clean: ## remove everything that was made
	rm -rf $(VENV) .venv-keepers .venv-oldest .venv-sanitize build dist site demo
