"""Print what pip needs to build the package, as it would install it into an environment of its own.

>>> needs()[0]
'scikit-build-core>=0.10'
"""

import shutil
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def needs() -> list[str]:
    """Return what pyproject.toml lists, and the tools that this machine lacks."""
    listed: list[str] = tomllib.loads(PROJECT.read_text())["build-system"]["requires"]
    return [*listed, *(tool for tool in ("cmake", "ninja") if shutil.which(tool) is None)]


if __name__ == "__main__":
    print(*needs())
