"""How much memory there is, and how to say so."""

import os
from pathlib import Path

GIB = 2**30


def available_memory() -> int:
    """Return the bytes that a new allocation can use without swapping, as far as the system tells.

    Examples
    --------
    >>> available_memory() > 0
    True
    """
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def format_bytes(size: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> format_bytes(3 * 2**30), format_bytes(2**20), format_bytes(96.4 * 2**30)
    ('3.0 GiB', '1.0 MiB', '96 GiB')
    """
    for unit, step in (("TiB", 2**40), ("GiB", GIB), ("MiB", 2**20)):
        if size >= step:
            return f"{size / step:.{1 if size < 10 * step else 0}f} {unit}"
    return f"{size / 1024:.0f} KiB"
