"""Running a long native kernel so that it shows progress and stops on Ctrl-C."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .progress import Steps

# The kernel counts what it has done in the first number and stops when the second is not zero.
State = NDArray[np.int64]
_POLL_SECONDS = 0.1


def run_watched(kernel: Callable[[State], Any], total: int, description: str) -> Any:
    """Run ``kernel(state)`` in a thread of its own and return what it returns.

    Parameters
    ----------
    kernel : callable
        Must release the interpreter lock and watch its ``state``.
    total : int
        What ``state[0]`` will have reached at the end.
    description : str
        Shown beside the bar, on a terminal only.

    Examples
    --------
    >>> run_watched(lambda state: int(state.sum()), 1, "adding")
    0
    """
    state = np.zeros(2, dtype=np.int64)
    outcome: dict[str, Any] = {}
    # An event, because a join that Ctrl-C interrupts takes the thread for finished.
    finished = threading.Event()

    def work() -> None:
        try:
            outcome["result"] = kernel(state)
        except BaseException as error:
            outcome["error"] = error
        finally:
            finished.set()

    threading.Thread(target=work, name="bayleaf-kernel").start()
    try:
        _wait(finished, state, total, description)
    except BaseException:  # Ctrl-C above all: the kernel must not go on behind the caller's back
        state[1] = 1
        finished.wait()
        raise
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


def _wait(finished: threading.Event, state: State, total: int, description: str) -> None:
    with Steps(description, total, patience=0.5) as steps:
        while not finished.wait(_POLL_SECONDS):
            steps.reach(int(state[0]))
