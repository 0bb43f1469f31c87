import numpy as np
import pytest

from bayleaf._util.params import MOST_THREADS, thread_count


def test_numbers_of_threads_have_a_limit(monkeypatch):
    assert thread_count(10**10) == MOST_THREADS
    assert thread_count(np.int64(2)) == 2
    assert thread_count(-(10**10)) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "10000000000")
    assert thread_count(None) == MOST_THREADS


@pytest.mark.parametrize("value", ["2", 1.5, True], ids=repr)
def test_anything_but_an_integer_is_refused(value):
    with pytest.raises(
        TypeError, match=f"'n_jobs' parameter .* must be an int or None. Got {value!r} instead"
    ):
        thread_count(value)
