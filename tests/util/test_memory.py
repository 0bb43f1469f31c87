"""Free memory: what the system tells, and the limit of a container."""

import pytest

from bayleaf._util import machine as memory

NO_LIMIT = 2**63 - 4096  # what the first version of control groups writes


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with 8 GiB free; call it to give the container files."""
    (tmp_path / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {8 * 2**20} kB\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CONTROL", tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(str(text))

    return write


def test_without_containers_the_system_tells(machine):
    assert memory.available_memory() == 8 * 2**30


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({"memory.max": 2**32, "memory.current": 2**31, "memory.stat": "anon 5\ninactive_file 9\n"}, 2**31 + 9),
        ({"memory.max": "max\n", "memory.current": 2**30, "memory.stat": ""}, 2**33),
        ({"memory.max": 2**40, "memory.current": 0, "memory.stat": ""}, 2**33),
        ({"memory.max": 2**20, "memory.current": 2**21, "memory.stat": ""}, 0),
        (
            {
                "memory/memory.limit_in_bytes": 2**31,
                "memory/memory.usage_in_bytes": 2**30,
                "memory/memory.stat": "cache 1\ninactive_file 0\n",
            },
            2**30,
        ),
        (
            {
                "memory/memory.limit_in_bytes": NO_LIMIT,
                "memory/memory.usage_in_bytes": 0,
                "memory/memory.stat": "",
            },
            2**33,
        ),
    ],
)  # fmt: skip
def test_the_limit_of_a_container_counts(machine, files, free):
    machine(files)
    assert memory.available_memory() == free
