"""Runs that are stopped leave nothing half done; ``python -m fuzz.killed`` stops 200 of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are copies of one process")
def test_a_fit_that_is_stopped_leaves_nothing_behind():
    folder = Path(__file__).parents[1]
    words = [sys.executable, "-m", "fuzz.killed", "--times", "3", "--only", "fit"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("3 runs, nothing left behind, nothing lost\n")
