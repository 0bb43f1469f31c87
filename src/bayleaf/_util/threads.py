"""How many threads a kernel may use."""

import os

from .params import check_param

# More threads than this never help, and a slip of the keyboard must not ask the system for a billion.
MOST_THREADS = 256


def thread_count(n_jobs: int | None) -> int:
    """Resolve ``n_jobs`` to a number of threads.

    ``None`` means every core this process may use, or ``OMP_NUM_THREADS`` where that is set (joblib sets it
    in its workers, so nested parallelism does not overload the machine). Negative numbers count from the
    number of cores as in scikit-learn: -1 is all of them. There are never more than `MOST_THREADS`.

    Examples
    --------
    >>> thread_count(3)
    3
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(max(1, int(limit)), MOST_THREADS) if limit.isdigit() else cores
    check_param("bayleaf", "n_jobs", n_jobs, int, allow_none=True)
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0. Use None for all cores, or a positive number of threads.")
    return min(int(n_jobs), MOST_THREADS) if n_jobs > 0 else max(1, cores + 1 + n_jobs)
