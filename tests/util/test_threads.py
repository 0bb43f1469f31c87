import numpy as np
import pytest

from bayleaf._native import _core
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


@pytest.mark.parametrize("limit", [None, "3", "1", "0", "4,2", "", "10000000000", "007"])
@pytest.mark.parametrize("n_jobs", [None, 1, 2, np.int64(3), -1, -2, 10**10, -(10**10), 10**30, -(10**30)])
def test_kernels_take_as_many_threads_as_n_jobs_says(monkeypatch, limit, n_jobs):
    # The variable is read at each call: joblib sets it in workers that are running.
    if limit is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert _core.thread_count(n_jobs) == thread_count(n_jobs)


def test_kernels_refuse_what_is_no_number_of_threads():
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        _core.thread_count(0)
    with pytest.raises(TypeError):
        _core.thread_count(1.5)
