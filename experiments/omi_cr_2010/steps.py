"""Steps of an experiment whose lines go to a CSV file: what is in the file is not done again."""

import csv
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

Line = dict[str, object]


def run_steps(
    file: Path,
    label: str,
    steps: Sequence[Mapping[str, object]],
    work: Callable[..., list[Line]],
    first: int | None = None,
) -> None:
    """Call ``work(**step)`` for each step and add its lines; a step's keys are the first columns of its lines.

    ``first``: only the first so many steps, whether the file has them or not.

    The file is replaced as a whole after each step, so that it never holds half a step.
    """
    lines = read(file)
    if steps:
        keys = list(steps[0])
        steps = steps[:first]
        done = {tuple(line[key] for key in keys) for line in lines}
        steps = [step for step in steps if tuple(str(step[key]) for key in keys) not in done]
    console = Console(stderr=True)
    for step in track(steps, label, console=console, disable=not (steps and console.is_terminal)):
        if not console.is_terminal:
            print(label, *step.values(), file=sys.stderr, flush=True)
        found = [{**step, **line} for line in work(**step)]
        lines += [{name: str(value) for name, value in line.items()} for line in found]
        _replace(file, lines)


def read(file: Path) -> list[dict[str, str]]:
    """Read the lines of a file; none when there is no file."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def _replace(file: Path, lines: Sequence[Mapping[str, str]]) -> None:
    part = file.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    os.replace(part, file)
