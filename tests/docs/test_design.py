"""The design page shows the rooms as they are: its tables are the import contracts, which cover the package."""

import re
import tomllib

import pytest

from docs.pages import ROOT

PACKAGE = ROOT / "src" / "bayleaf"
# The package itself, its entry point and the names at its top: they are no rooms.
NO_ROOMS = {"_names", "__init__", "__main__"}
ROOMS, LEARNING = 0, 1
FOLDERS = {ROOMS: PACKAGE, LEARNING: PACKAGE / "learn"}


def contract(number: int) -> list[set[str]]:
    """The layers that import-linter enforces, highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][number]["layers"]
    return [{room.strip().removeprefix("bayleaf.") for room in layer.split("|")} for layer in layers]


def tables() -> list[list[set[str]]]:
    """The rooms of each line of the tables under "Rooms"."""
    section = (ROOT / "docs" / "design.md").read_text().partition("\n## Rooms\n")[2].partition("\n## ")[0]
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
        lines = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
        found.append([set(re.findall(r"`(\w+)`", line)) for line in lines])
    return found


def test_there_is_a_table_for_each_contract():
    assert len(tables()) == len(FOLDERS)


@pytest.mark.parametrize("number", FOLDERS)
def test_a_table_of_rooms_is_the_import_contract(number):
    assert tables()[number] == contract(number)


@pytest.mark.parametrize("number", FOLDERS)
def test_an_import_contract_covers_every_room(number):
    rooms = {
        path.stem
        for path in FOLDERS[number].iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - NO_ROOMS == set().union(*contract(number))
