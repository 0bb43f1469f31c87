"""Print the lowest versions that pyproject.toml allows, as constraints for pip (``make test-oldest``)."""

import re
import tomllib
from pathlib import Path

EXTRAS = ("files", "plot", "stats", "report", "sql", "onnx", "test")
# What runs the tests is not what is tested.
TOOLS = ("pytest", "pytest-xdist", "hypothesis")


def lowest_versions() -> list[str]:
    """Return one constraint per dependency.

    Examples
    --------
    >>> [line for line in lowest_versions() if line.startswith("rich")]
    ['rich==13.0.*']
    """
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    found = (re.fullmatch(r"([\w-]+)>=([\d.]+)", line) for line in needed)
    return [f"{match[1]}=={match[2]}.*" for match in found if match and match[1] not in TOOLS]


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
