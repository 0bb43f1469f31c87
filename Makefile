# Everything runs inside .venv, which the first target makes. Only Python 3.11+, make and g++ are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(wildcard cpp/*/*.cpp cpp/*/*.hpp cpp/include/bayleaf/*)

.PHONY: demo test test-browser lint bench docs format stub clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# `pip install -e` builds the native core; it runs again only when the core or the dependencies change.
$(VENV)/.installed: $(VENV)/bin/python $(NATIVE)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/bayleaf demo --out demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest -n 2 --dist loadfile

# The model page in a real browser; screenshots go to build/screenshots. Needs chromium (installed where apt can).
test-browser: $(VENV)/.installed
	@command -v chromium > /dev/null || (apt-get update -qq && apt-get install -y -qq chromium)
	$(BIN)/pip install --quiet --disable-pip-version-check "playwright>=1.40"
	$(BIN)/python -m pytest tests/browser

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(wildcard cpp/*/*.cpp cpp/*/*.hpp cpp/include/bayleaf/*)

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(wildcard cpp/*/*.cpp cpp/*/*.hpp cpp/include/bayleaf/*)

# The type stub of the native core is generated; tests/test_stub.py compares it with the compiled module.
stub: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen -m bayleaf._core -o src/bayleaf/_core.pyi

bench: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check ".[bench]"
	$(BIN)/python benchmarks/run_all.py

docs: $(VENV)/.installed
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build dist site demo
