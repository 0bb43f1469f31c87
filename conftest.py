"""What is not collected with the other tests."""

import pytest

# Examples with Spark run with its tests: make test-spark.
collect_ignore = ["src/bayleaf/spark"]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Look for examples only in files that hold one: most tests do not, and the search takes time."""
    found = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text(encoding="utf-8"):
        return [collector for collector in found if type(collector) is pytest.Module]
    return found
