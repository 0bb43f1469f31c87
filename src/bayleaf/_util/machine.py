"""How much memory the machine has, and how to write that."""

import os
from pathlib import Path

GIB = 2**30
MEMINFO = Path("/proc/meminfo")
STATM = Path("/proc/self/statm")
CONTROL = Path("/sys/fs/cgroup")
# Files that tell a container's limit, use and statistics, in the second and the first version of control groups.
_CONTAINERS = (
    ("memory.max", "memory.current", "memory.stat"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
)


def available_memory() -> int:
    """Return the bytes that a new allocation can use without swapping, as far as the system tells."""
    free = [_free_in_process(), *(_free_in_container(*files) for files in _CONTAINERS)]
    return min([_free_in_system(), *(size for size in free if size is not None)])


def _free_in_system() -> int:
    if MEMINFO.exists():
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _free_in_process() -> int | None:
    """Return what is left of the address space that the process may use (ulimit -v), if that is limited."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        return max(0, most - int(STATM.read_text().split()[0]) * resource.getpagesize())
    except (ImportError, OSError):  # not a Unix, or without /proc
        return None


def _free_in_container(limit: str, used: str, statistics: str) -> int | None:
    """Return what is left of a container's own limit (Linux control groups), if it has one."""
    try:
        most, now = (int((CONTROL / file).read_text()) for file in (limit, used))
        lines = (CONTROL / statistics).read_text().splitlines()
    except (OSError, ValueError):  # no such file, or the word "max"
        return None
    # Files that were read and may be forgotten count as used.
    forgettable = sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    return max(0, most - now + forgettable)


def refuse_without_room(need: int, what: str, instead: str) -> None:
    """Raise if something needs more memory than is free, and say what to do, before any of it is taken."""
    free = available_memory()
    if need > free:
        raise ValueError(
            f"{what} would need about {format_bytes(need)} ({format_bytes(free)} free): {instead}."
        )


def format_bytes(size: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> format_bytes(3 * 2**30), format_bytes(2**20), format_bytes(96.4 * 2**30)
    ('3.0 GiB', '1.0 MiB', '96 GiB')
    >>> format_bytes(10), format_bytes(1), format_bytes(2048)
    ('10 bytes', '1 byte', '2 KiB')
    """
    if size < 1024:
        return f"{size:.0f} byte{'s' * (round(size) != 1)}"
    for unit, step in (("TiB", 2**40), ("GiB", GIB), ("MiB", 2**20)):
        if size >= step:
            return f"{size / step:.{1 if size < 10 * step else 0}f} {unit}"
    return f"{size / 1024:.0f} KiB"
