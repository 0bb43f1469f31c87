"""Tests of the experiments, which repeat the papers' tables: they run by a command of their own."""

import importlib
import sys
from pathlib import Path

import pytest

from reference.asked_folders import leave_unless_asked_for
from reference.committed_results import EXPERIMENTS


def pytest_collection_modifyitems(config, items):
    leave_unless_asked_for(Path(__file__).parent, config, items)


@pytest.fixture
def figures(monkeypatch):
    """Every published cell beside ours."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    yield importlib.import_module("comparison").all_figures()
    sys.modules.pop("comparison", None)
