"""Where the published networks are, and a reason to skip where they are not."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("BAYLEAF_DATA", ROOT.parent / "shared" / "data")) / "networks"
NAMES = [
    "alarm", "andes", "asia", "barley", "cancer", "child", "hailfinder", "hepar2", "insurance", "sachs",
    "water", "win95pts",
]  # fmt: skip


def network_path(name: str) -> Path:
    """Path of a published network; skips the test where it is absent."""
    path = FOLDER / f"{name}.bif.gz"
    if not path.is_file():
        pytest.skip(f"the published networks are not here ({path}): set BAYLEAF_DATA")
    return path
