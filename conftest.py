"""Which files hold tests, and which warnings they may ignore."""

import pytest

# Examples with Spark run with its tests: make test-spark.
collect_ignore = ["src/bayleaf/spark"]


def pytest_configure(config):
    """Ignore two warnings: tests fit noise on purpose, and the checks of scikit-learn mix fit and partial_fit.

    Their names import half of the package, so a process that only hands out tests does without.
    """
    if not config.getoption("numprocesses", None):
        for warning in ("classify.record.NothingLearnedWarning", "classify.online.StartsAnewWarning"):
            config.addinivalue_line("filterwarnings", f"ignore::bayleaf.{warning}")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Look for examples only in files that hold one: most tests do not, and the search takes time."""
    found = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text(encoding="utf-8"):
        return [collector for collector in found if type(collector) is pytest.Module]
    return found
