"""How many threads a kernel may use."""

import os


def thread_count(n_jobs: int | None) -> int:
    """Resolve ``n_jobs`` to a number of threads.

    ``None`` means every core this process may use, or ``OMP_NUM_THREADS`` where that is set (joblib sets it
    in its workers, so nested parallelism does not overload the machine). Negative numbers count from the
    number of cores as in scikit-learn: -1 is all of them.

    Examples
    --------
    >>> thread_count(3)
    3
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return max(1, int(limit)) if limit.isdigit() else cores
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0. Use None for all cores, or a positive number of threads.")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
