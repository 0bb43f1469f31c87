"""Settings that all tests share."""

import gc
import os
import signal

import pytest
from hypothesis import settings

# Threads that wait for small products of matrices take more time than the products. Set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests press Ctrl-C, which a shell that starts them in the background tells them to ignore.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Speed is measured in benchmarks/, never by tests: a busy machine must not fail them.
settings.register_profile("bayleaf", deadline=None, max_examples=20)
settings.load_profile("bayleaf")


def pytest_collection():
    """Leave garbage until tests are collected: modules and tests stay, and each look at them is slow."""
    gc.disable()


def pytest_collection_finish():
    """Take modules and collected tests out of garbage collection for good."""
    gc.freeze()
    gc.enable()


LEFT = {
    "browser/": "the model page in a browser",
    "databases/": "databases",
    "spark/": "Spark",
    "experiments/": "the experiments",
}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """Say as the last thing what was left to commands of their own."""
    outcome = yield
    for folder, what in LEFT.items():
        reports = terminalreporter.stats.get("skipped", [])
        left = sum(folder in report.nodeid and "left to" in str(report.longrepr) for report in reports)
        if left:
            terminalreporter.write_line(f"{left} tests of {what} are left to: make test-{folder[:-1]}")
    return outcome
