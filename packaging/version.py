"""Print the version of the package, which pyproject.toml alone says.

python packaging/version.py
"""

import tomllib
from pathlib import Path

if __name__ == "__main__":
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    print(settings["project"]["version"])
