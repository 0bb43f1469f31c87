"""Planted findings: `run.control` makes sure that errors, crashes and hangs are found."""

import os
import time

import numpy as np

from .run import PLANTED_FINDINGS


def one(rng: np.random.Generator) -> bool:
    """Take or refuse the input, or fail in one of the ways of `PLANTED_FINDINGS`."""
    chosen = int(rng.integers(5))
    if chosen == PLANTED_FINDINGS["contradictory"]:
        raise AssertionError("contradictory")
    if chosen == PLANTED_FINDINGS["dies with exit code"]:
        os.abort()
    while chosen == PLANTED_FINDINGS["takes too long"]:
        time.process_time()
    return chosen == 0
