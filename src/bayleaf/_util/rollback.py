"""A fit that fails leaves nothing behind."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unchanged_on_failure(estimator: object) -> Iterator[None]:
    """Give an estimator back what it held before, where a step fails or is interrupted.

    Half a fit would pair a new schema with an old network.

    Examples
    --------
    >>> class Estimator:
    ...     schema_ = "old"
    >>> estimator = Estimator()
    >>> with unchanged_on_failure(estimator):
    ...     estimator.schema_ = "new"
    ...     raise ValueError("no network")
    Traceback (most recent call last):
    ValueError: no network
    >>> estimator.schema_
    'old'
    """
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
