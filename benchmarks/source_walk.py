"""How a reader has to walk through the source who follows a fit or a prediction: files crossed, and changes of file.

What is counted are steps. A step is a call of a Python function of the package, or a return into one; it lands in the
file of the function that runs next. A file is crossed when a step lands in it, and the file changes when a step lands
in another file than the step before it. So a call of a helper in another file is two changes, there and back. Calls
within a file are none, and neither are calls of other libraries, of compiled code, and of methods that no file holds,
such as those that `dataclass` writes. Where a library calls the package back, the step lands in the package, wherever
it came from. A generator is entered and left at each of its values.

Each thread has a walk of its own, and the changes of all threads are summed: work that is handed to a thread is to be
read like any other. Imports and what is kept from an earlier call do not count, as the action has run once before.

`sys.setprofile` by itself sees only the calling thread, whose part the table shows too. Gaps in the data add to the
walk, as do labels in a numpy array. Calls that lead to another file, without the returns, are half as many.

    python benchmarks/source_walk.py          # the table
    python benchmarks/source_walk.py files    # of each walk, the files in the order of the first visit
    python benchmarks/source_walk.py calls    # of the default fit, what calls what in other files
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import bayleaf as bl

PACKAGE = Path(bl.__file__).parent
ROWS = 300
LISTED = 40  # lines of a list of calls


class Step(NamedTuple):
    """Control has come to a function of the package: by a call of it or a return into it, in one of the threads."""

    file: str
    function: str
    is_call: bool
    thread: int


@dataclass(frozen=True)
class Walk:
    """The steps of an action, in the order in which they were taken."""

    steps: list[Step]

    def moves(self) -> Iterator[tuple[Step | None, Step]]:
        """Give each step with the one before it in the same thread."""
        last: dict[int, Step] = {}
        for step in self.steps:
            yield last.get(step.thread), step
            last[step.thread] = step

    @property
    def changes(self) -> int:
        """How often a step lands in another file than the one before it."""
        return sum(before is not None and before.file != step.file for before, step in self.moves())

    @property
    def entries(self) -> dict[str, int]:
        """How often each file is entered; the files stand in the order of the first visit."""
        return dict(
            Counter(step.file for before, step in self.moves() if before is None or before.file != step.file)
        )

    @property
    def files(self) -> int:
        """How many files are crossed."""
        return len(self.entries)

    def of_first_thread(self) -> "Walk":
        """Return the part of the walk that the calling thread takes."""
        return Walk([step for step in self.steps if step.thread == self.steps[0].thread])

    def calls(self) -> Iterator[tuple[Step, Step]]:
        """Find the calls that lead to another file, each with where it came from."""
        for before, step in self.moves():
            if step.is_call and before is not None and before.file != step.file:
                yield before, step


def walk(action: Callable[[], object], package: Path = PACKAGE) -> Walk:
    """Run an action a second time and note its steps through a package."""
    action()
    steps: list[Step] = []
    root = f"{package}/"

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return"):
            return
        landed = frame if event == "call" else frame.f_back
        if landed is not None and landed.f_code.co_filename.startswith(root):
            file = landed.f_code.co_filename.removeprefix(root)
            steps.append(Step(file, landed.f_code.co_qualname, event == "call", threading.get_ident()))

    before = sys.getprofile(), threading.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])
    return Walk(steps)


def mixed_table(rows: int = ROWS) -> tuple[pd.DataFrame, pd.Series]:
    """Make customers by rule: two columns of numbers, two of categories, one of truth values, and a class of two."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "income": rng.lognormal(10, 0.5, rows).round(2),
            "city": rng.choice(["Ghent", "Lyon", "Porto", "Turin"], rows),
            "plan": rng.choice(["free", "small", "large"], rows),
            "owner": rng.random(rows) < 0.4,
        }
    )
    buys = (X["age"] > 50) ^ (X["city"] == "Lyon") ^ (rng.random(rows) < 0.15)
    return X, pd.Series(np.where(buys, "yes", "no"), name="bought")


def walk_default_fit() -> Walk:
    """Follow what everybody calls first."""
    X, y = mixed_table()
    return walk(lambda: bl.BayesNetClassifier().fit(X, y))


def walk_tan_fit() -> Walk:
    """Follow a fit whose tables are not tuned."""
    X, y = mixed_table()
    return walk(lambda: bl.BayesNetClassifier(structure=bl.TAN(), parameters=bl.Shrinkage()).fit(X, y))


def walk_frame_row() -> Walk:
    """Follow the probabilities of a row that is a pandas frame."""
    X, y = mixed_table()
    model, row = bl.BayesNetClassifier().fit(X, y), X.iloc[[0]]
    return walk(lambda: model.predict_proba(row))


def walk_array_row() -> Walk:
    """Follow the probabilities of a row of numbers, of a model of the columns that can be written as numbers."""
    X, y = mixed_table()
    codes = X.assign(city=X["city"].factorize()[0], plan=X["plan"].factorize()[0])
    array = codes.to_numpy(np.float64)
    model = bl.BayesNetClassifier(categorical_features=[2, 3, 4]).fit(array, y)
    return walk(lambda: model.predict_proba(array[:1]))


def walk_object_row() -> Walk:
    """Follow the probabilities of a row of numbers and texts in one array."""
    X, y = mixed_table()
    array = X.to_numpy()
    model = bl.BayesNetClassifier().fit(array, y)
    return walk(lambda: model.predict_proba(array[:1]))


WALKS: dict[str, Callable[[], Walk]] = {
    "fit, default": walk_default_fit,
    "fit, TAN with Shrinkage": walk_tan_fit,
    "predict_proba, a row of pandas": walk_frame_row,
    "predict_proba, a row of numpy, numbers": walk_array_row,
    "predict_proba, a row of numpy, objects": walk_object_row,
}


def print_files() -> None:
    """List the files of each walk, with how often each is entered."""
    for name, taken in WALKS.items():
        entries = taken().entries
        print(f"\n{name}: {len(entries)} files")
        for file, times in entries.items():
            print(f"{times:6}  {file}")


def print_calls() -> None:
    """List which files and functions a default fit calls from other files, the most frequent first."""
    calls = list(walk_default_fit().calls())
    lists = {
        "file -> file": Counter(f"{a.file} -> {b.file}" for a, b in calls),
        "function that is called": Counter(f"{b.file}: {b.function}" for _, b in calls),
        "function that calls": Counter(f"{a.file}: {a.function}" for a, _ in calls),
        "function -> function": Counter(
            f"{a.file}: {a.function} -> {b.file}: {b.function}" for a, b in calls
        ),
    }
    for name, counter in lists.items():
        print(f"\n{name}: {len(calls)} calls to another file")
        for text, times in counter.most_common(LISTED):
            print(f"{times:6}  {text}")


def main() -> None:
    if sys.argv[1:] == ["files"]:
        print_files()
    elif sys.argv[1:] == ["calls"]:
        print_calls()
    else:
        from common import report  # here, so that a test can load this file alone

        header = ["action", "files", "changes of file", "files, calling thread", "changes, calling thread"]
        rows: list[list[object]] = []
        for name, taken in WALKS.items():
            whole = taken()
            first = whole.of_first_thread()
            rows.append([name, whole.files, whole.changes, first.files, first.changes])
        report("A walk through the source", header, rows, "source_walk.csv")


if __name__ == "__main__":
    main()
