"""Faults that sanitizers must notice, as tests: run by packaging/watched.sh, with a core built for it."""


def test_beyond_the_end():
    """A read beyond the end of an array."""
    from bayleaf import _core

    _core.planted_fault(0)


def test_overflow():
    """An overflow of a signed integer."""
    from bayleaf import _core

    _core.planted_fault(1)
