"""An exact search that is asked to stop does so in a moment, whatever it is at: by the clock of its own thread."""

import threading
import time

import numpy as np
import pytest

from bayleaf import _core

VARIABLES = 24  # of 29 each of these times is 32 times as long, if the search goes on regardless
# Seconds of work after the question: while fresh memory is touched, and later, when it has to be given back.
SOON, LATER = 0.05, 0.25


def stopped_after(moment, seconds):
    """Return the seconds that a search goes on after it was asked to stop, and whether it claims a result."""
    state, parents = np.zeros(2, dtype=np.int64), np.zeros(VARIABLES, dtype=np.int64)
    none = np.zeros(VARIABLES, dtype=np.int64)
    outcome = {}

    def search():
        outcome["found"] = _core.best_network(
            seconds, np.empty((0, 1)), none - 1, none, none, 0.0, parents, state, 1
        )
        outcome["end"] = time.thread_time()

    thread = threading.Thread(target=search)
    thread.start()
    clock = time.pthread_getcpuclockid(thread.ident)
    while time.clock_gettime(clock) < moment:
        time.sleep(0.001)
    asked = time.clock_gettime(clock)
    state[1] = 1
    thread.join()
    return outcome["end"] - asked, outcome["found"]


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="clocks of threads as Unix has them")
def test_at_ten_random_moments():
    sums, rng = np.zeros(2**VARIABLES), np.random.default_rng(0)
    for most, soon in ((0.02, SOON), (0.8, LATER)):
        for moment in rng.uniform(0.0, most, 5):
            seconds, found = stopped_after(moment, sums)
            assert not found
            assert seconds < soon, f"asked after {moment:.3f} s"
