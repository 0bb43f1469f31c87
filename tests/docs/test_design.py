"""The design page shows the rooms as they are: its table is the import contract, which covers the package."""

import re
import tomllib

from docs.pages import ROOT

PACKAGE = ROOT / "src" / "bayleaf"
# The package itself, its entry point, and old names of rooms: they are no rooms.
NO_ROOMS = {"_names", "__init__", "__main__", "io", "table"}


def contract() -> list[set[str]]:
    """The layers that import-linter enforces, highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [{room.strip().removeprefix("bayleaf.") for room in layer.split("|")} for layer in layers]


def test_the_table_of_rooms_is_the_import_contract():
    page = (ROOT / "docs" / "design.md").read_text()
    table = page.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", line)) for line in lines] == contract()


def test_the_import_contract_covers_every_room():
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - NO_ROOMS == set().union(*contract())
