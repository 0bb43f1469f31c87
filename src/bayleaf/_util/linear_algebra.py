"""Threads of the library for linear algebra."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Keep linear algebra to one thread: on short vectors more cost time, and they may change the last bits.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    """Look for the libraries once: that takes longer than training on a few rows."""
    return ThreadpoolController()
