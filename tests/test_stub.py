"""The type stub of the native core is generated; it must describe the module that was built."""

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

from bayleaf._native import _core

STUB = Path(__file__).parents[1] / "src" / "bayleaf" / "_core.pyi"


def test_every_function_is_in_the_stub():
    described = set(re.findall(r"^def (\w+)\(", STUB.read_text(encoding="utf-8"), flags=re.MULTILINE))
    functions = {
        name for name, member in vars(_core).items() if callable(member) and not inspect.isclass(member)
    }
    assert functions == described
    assert {"count", "pair_sums", "log_joint", "log_joint_missing", "normalize_rows"} <= functions


def test_the_stub_is_up_to_date(tmp_path):
    if importlib.util.find_spec("nanobind") is None:
        pytest.skip("nanobind, which generates the stub, is not installed")
    from nanobind import stubgen

    fresh = tmp_path / "fresh.pyi"
    stubgen.main(["-q", "-m", "bayleaf._core", "-o", str(fresh)])
    assert fresh.read_text(encoding="utf-8") == STUB.read_text(encoding="utf-8"), "run `make stub`"
