"""What the experiments have committed: their results, and the notes that speak of them."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "experiments"


def lines(path):
    """Return the lines of a CSV file by its place among the experiments."""
    with (EXPERIMENTS / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text(path):
    """Return the text of a file by its place among the experiments."""
    return (EXPERIMENTS / path).read_text(encoding="utf-8")


def notes(experiment):
    """Return the notes of an experiment on one line."""
    return " ".join(text(f"{experiment}/README.md").split())


def table_rows(path, heading):
    """Return the first table below a heading of a results page: the first cell of a line, then its others."""
    below = text(path).split(f"\n## {heading}", 1)[1]
    table = below[below.index("\n|") :].strip().split("\n\n", 1)[0]
    cells = [[each.strip() for each in line.strip("|").split("|")] for line in table.splitlines()]
    return {line[0]: line[1:] for line in cells[2:]}
