"""Tests of the experiments, which repeat the papers' tables: they run by a command of their own."""

from pathlib import Path

from reference.asked_folders import leave_unless_asked_for


def pytest_collection_modifyitems(config, items):
    leave_unless_asked_for(Path(__file__).parent, config, items)
