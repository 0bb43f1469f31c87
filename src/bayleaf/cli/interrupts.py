"""Ctrl-C that is heard wherever it comes."""

import _thread
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

REPEAT_SECONDS = 0.1


@contextmanager
def repeated_when_lost() -> Iterator[None]:
    """Send an interrupt again if Python swallows it.

    What is raised in a destructor or in a callback of the garbage collector goes nowhere, an interrupt too: the
    command would go on as if nothing had been pressed.

    Examples
    --------
    >>> with repeated_when_lost():
    ...     "working"
    'working'
    """
    before = sys.unraisablehook

    def hook(lost: Any) -> None:
        if lost.exc_type is None or not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        # Later, and from another thread: raised here it would be lost again.
        again = threading.Timer(REPEAT_SECONDS, _thread.interrupt_main)
        again.daemon = True
        again.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


__all__ = ["repeated_when_lost"]
