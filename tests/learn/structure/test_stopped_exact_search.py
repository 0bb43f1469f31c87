"""An exact search that is asked to stop does so in a moment, whatever it is at: by the clock of its own thread."""

import threading
import time

import numpy as np
import pytest

from bayleaf import _core

VARIABLES = 24  # of 29 each of these times is 32 times as long, if the search goes on regardless
# Seconds of work after the question: while fresh memory is touched, and later, when it has to be given back.
SOON, LATER = 0.05, 0.25


def count_sets(state):
    """Make the sums over all sets of the variables, from some rows."""
    rows = np.asfortranarray(np.random.default_rng(0).integers(0, 2, (2000, VARIABLES)).astype(np.uint8))
    arities = np.full(VARIABLES, 2, dtype=np.int64)
    sums = np.empty(2**VARIABLES)
    _core.subset_sums(rows, arities, VARIABLES, None, True, 0, 0.5, 0.0, VARIABLES, np.inf, sums, state, 1)


def find_network(state, sums=np.zeros(2**VARIABLES)):  # noqa: B008 - the zeros take no memory
    """Find the best network from sums; it is not found where the search was stopped."""
    none, parents = np.zeros(VARIABLES, dtype=np.int64), np.zeros(VARIABLES, dtype=np.int64)
    assert not _core.best_network(sums, np.empty((0, 1)), none - 1, none, none, 0.0, parents, state, 1)


def goes_on_for(search, moment):
    """Return the seconds that a search goes on after it was asked to stop at some second of its work."""
    state, outcome = np.zeros(2, dtype=np.int64), {}

    def work():
        outcome["begin"] = time.thread_time()
        search(state)
        outcome["end"] = time.thread_time()

    thread = threading.Thread(target=work)
    thread.start()
    clock = time.pthread_getcpuclockid(thread.ident)
    while time.clock_gettime(clock) < moment:
        time.sleep(0.001)
    asked = time.clock_gettime(clock)
    state[1] = 1
    thread.join()
    return outcome["end"] - asked


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="clocks of threads as Unix has them")
@pytest.mark.parametrize("search", [count_sets, find_network])
def test_at_ten_random_moments(search):
    rng = np.random.default_rng(0)
    for most, soon in ((0.02, SOON), (0.3, LATER)):
        for moment in rng.uniform(0.0, most, 5):
            assert goes_on_for(search, moment) < soon, f"asked after {moment:.3f} s"
