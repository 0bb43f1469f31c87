"""Free memory: what the system tells, and the limit of a container."""

import numpy as np
import pytest

import bayleaf as bl
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


def test_a_limit_of_the_process_counts(machine, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(memory, "STATM", memory.MEMINFO.parent / "statm")
    memory.STATM.write_text("1000 900 800 1 0 2 0\n")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (2**30, 2**33))
    assert memory.available_memory() == 2**30 - 1000 * resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY,) * 2)
    assert memory.available_memory() == 8 * 2**30


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (bl.BayesNetClassifier(), r"^What all pairs of 2,001 features share would need about 199 MiB"),
        (bl.NetworkPool(), r"^A pool over 2,001 columns would need about .* leave columns out, or learn one"),
    ],
    ids=["network", "pool"],
)
def test_very_wide_tables_are_refused_before_memory_is_taken(model, words, machine):
    machine({"memory.max": 2**27, "memory.current": 0, "memory.stat": ""})
    rows = np.random.default_rng(0).integers(0, 2, (20, 2001))
    with pytest.raises(ValueError, match=words):
        model.fit(rows, [0, 1] * 10)
