"""Settings that all tests share."""

import gc
import os

import pytest
from hypothesis import settings

# Threads that wait for small products of matrices take more time than the products. Set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Speed is measured in benchmarks/, never by tests: a busy machine must not fail them.
settings.register_profile("bayleaf", deadline=None, max_examples=20)
settings.load_profile("bayleaf")


def pytest_collection_finish():
    """Take modules and collected tests out of garbage collection: they stay, and each look at them is slow."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """Say as the last thing what was left to the browser and to Spark."""
    outcome = yield
    skipped = [report.nodeid for report in terminalreporter.stats.get("skipped", [])]
    for folder, what in {"browser": "of the model page in a browser", "spark": "with Spark"}.items():
        left = sum(f"tests/{folder}/" in name for name in skipped)
        if left:
            terminalreporter.write_line(f"{left} tests {what} are left to: make test-{folder}")
    return outcome
