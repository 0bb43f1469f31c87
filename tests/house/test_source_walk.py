"""Anyone who follows a fit or a prediction has few files to open, and does not jump between them all the time.

benchmarks/source_walk.py says what is counted; ``python benchmarks/source_walk.py calls`` shows where it comes from.
"""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "source_walk.py"
MOST_FILES_OF_A_FIT = 35
MOST_CHANGES_OF_A_FIT = 999
MOST_FILES_OF_A_ROW = {"frame": 8, "array": 8, "object": 20}  # of objects, each value says what it is
MOST_CHANGES_OF_A_ROW = 100


def loaded(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


source_walk = loaded("source_walk", SCRIPT)


@pytest.fixture(scope="module")
def default_fit():
    return source_walk.walk_default_fit()


def test_a_default_fit_crosses_few_files(default_fit):
    files = list(default_fit.entries)
    assert 0 < len(files) <= MOST_FILES_OF_A_FIT, files


def test_a_default_fit_seldom_changes_file(default_fit):
    changes, entries = default_fit.changes, default_fit.entries
    assert 0 < changes <= MOST_CHANGES_OF_A_FIT, entries


@pytest.mark.parametrize(("row", "most"), MOST_FILES_OF_A_ROW.items())
def test_the_prediction_of_a_row_crosses_few_files(row, most):
    walked = getattr(source_walk, f"walk_{row}_row")()
    assert 0 < len(walked.entries) <= most, list(walked.entries)
    assert 0 < walked.changes <= MOST_CHANGES_OF_A_ROW, walked.entries


MADE_UP = {
    "first": """
from concurrent.futures import ThreadPoolExecutor
def own():
    return 0
def calls(other):
    return own() + own() + other.step() + other.step()
def calls_through_a_library(other):
    return sorted([2, 1], key=other.step_of)
def fails(other):
    try:
        other.fail()
    except ValueError:
        return own()
def reads(other):
    return sum(other.three_values())
def hands_over(other):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(other.step).result()
""",
    "second": """
def step():
    return inner()
def inner():
    return 1
def step_of(value):
    return value
def fail():
    raise ValueError
def three_values():
    yield 1
    yield 2
    yield 3
""",
}


@pytest.mark.parametrize(
    ("action", "changes", "entries"),
    [
        ("own", 0, {"first.py": 1}),
        ("calls", 4, {"first.py": 3, "second.py": 2}),
        ("calls_through_a_library", 4, {"first.py": 3, "second.py": 2}),
        ("fails", 2, {"first.py": 2, "second.py": 1}),
        ("reads", 8, {"first.py": 5, "second.py": 4}),
        ("hands_over", 0, {"first.py": 1, "second.py": 1}),
    ],
)
def test_a_made_up_package_is_walked_as_it_is_said(tmp_path, action, changes, entries):
    for name, text in MADE_UP.items():
        (tmp_path / f"{name}.py").write_text(text)
    first, second = (loaded(f"made_up_{name}", tmp_path / f"{name}.py") for name in MADE_UP)
    arguments = [] if action == "own" else [second]
    walk = source_walk.walk(lambda: getattr(first, action)(*arguments), tmp_path)
    assert (walk.changes, walk.entries) == (changes, entries)
