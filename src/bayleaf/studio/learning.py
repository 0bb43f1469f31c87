"""Learning, in a process of its own: four methods on the same folds, then the models, and their pages.

What is done is written to the project at once. Whatever ends the process, only the step it was at is lost; started
again, it goes on there. Standard output has one JSON object per line: how far it is. The process ends when its
standard input does: it does not outlive the studio.
"""

import json
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import atomic_write
from bayleaf.benchmark.peers import Peer
from bayleaf.data import GroupsWarning
from bayleaf.network.decisions import cheapest
from bayleaf.page.assemble import assemble_page, page_data
from bayleaf.quality import Outcome
from bayleaf.quality.cross_validation import assessment_folds, joined_folds
from bayleaf.quality.intervals import measures_with_intervals
from bayleaf.quality.measures import conditional_log_likelihood
from bayleaf.quality.outcome import fit_and_predict
from bayleaf.quality.protocol import Split
from bayleaf.quality.quality_record import missing_values, quality_of

from .looking import LabelledRows, new_classifier, read_labelled_rows
from .project import MODELS, Project, Settings, Wish
from .recipes import command_words

FOLDS = 5
LARGE = 20_000  # rows from which on one fold is enough
METHODS = {
    "frequencies": "Class frequencies",
    "logistic": "Logistic regression",
    "network": "One network",
    "pool": "Pool of networks",
}
Say = Callable[[dict[str, Any]], None]


def folds_of(table: LabelledRows) -> list[Split]:
    """Return the folds of ``--cv 5``, also with ``--groups`` or ``--time``; of a large table one of them."""
    target = table.labels.to_numpy()
    protocol = assessment_folds(target, FOLDS, groups=table.groups, time=table.time)
    splits = [protocol.split(target, repeat, fold) for repeat, fold in protocol.cells]
    return splits[-1:] if len(target) > LARGE else splits


def method_of(name: str, settings: Settings, wishes: list[Wish]) -> Any:
    """Return what a method of the table learns with."""
    if name == "frequencies":
        return DummyClassifier(strategy="prior")
    if name == "logistic":
        missing = "auto" if settings.missing == "drop" else settings.missing
        regression = LogisticRegression(max_iter=2000)
        return Peer(regression, numbers="values", missing=missing, column_types=dict(settings.types) or None)
    return new_classifier(settings, wishes, name)


class Learning:
    """One version that is being learned."""

    def __init__(self, folder: Path, number: int, say: Say) -> None:
        self.project = Project(folder)
        self.number = number
        self.say = say
        about = self.project.version(number)
        self.project.settings = self.settings = Settings.of(about["settings"])
        self.wishes = [Wish.of(each) for each in about["wishes"]]
        if self.project.data is None or about["data"] != self.project.data.sha256:
            raise ValueError("The table is not the one that this version began with: learn a new version.")
        self.folder = self.project.version_folder(number)
        self.result: dict[str, Any] = {**about["result"], "done": False, "error": None}

    def run(self) -> None:
        """Measure all methods, and learn the models from all rows; what is there already is kept."""
        self.say({"stage": "Reading the table"})
        table = read_labelled_rows(self.project)
        self.features, self.labels, self.numbers = table.features, table.labels, table.numbers
        self.groups = table.groups
        self.folds = folds_of(table)
        tested = np.sort(np.concatenate([fold.test for fold in self.folds]))
        self.result |= {"rows": len(tested), "folds": len(self.folds), "all_rows": self.labels.len()}
        self.outcomes: dict[str, Outcome] = {}
        for name, title in METHODS.items():
            self.outcomes[name] = outcome = self.held_out(name, title, tested)
            if name not in self.result["methods"]:
                found = {"title": title, "measures": self.measures(outcome)}
                self.result["methods"][name] = found
                self.project.write_result(self.number, self.result)
            if name in MODELS and not (self.folder / f"{name}.html").exists():
                self.say({"stage": f"{title}: learning from all rows"})
                self.learn(name, outcome, tested)
            self.say({"stage": f"{title}: done"})
        self.result["sentence"] = comparison(self.outcomes)
        self.result["against"] = self.against_before()
        self.result["done"] = True
        self.project.write_result(self.number, self.result)

    def held_out(self, name: str, title: str, tested: NDArray[np.intp]) -> Outcome:
        """Return what a method predicts for rows it has not seen; read where it is known already."""
        path = self.folder / f"{name}.held-out.csv"
        labels = np.unique(self.labels.to_numpy()).tolist()
        if name in self.result["methods"] and path.exists():
            return read_outcome(path, labels)
        parts = []
        method = method_of(name, self.settings, self.wishes)
        for number, fold in enumerate(self.folds, start=1):
            self.say({"stage": f"{title}: fold {number} of {len(self.folds)}", "method": name})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows = fold.train, fold.test, fold.groups
                parts.append(fit_and_predict(method, self.features, self.labels, *rows))
        outcome = joined_folds(parts, [fold.test for fold in self.folds], labels)
        write_outcome(path, outcome, tested)
        return outcome

    def measures(self, outcome: Outcome) -> list[dict[str, Any]]:
        """Return the figures of a method; by the same costs of errors for all."""
        if outcome.costs is None and self.settings.loss:
            outcome = with_costs(outcome, self.settings.loss)
        return [line for line in measures_with_intervals(outcome) if line["name"] in SHOWN]

    def learn(self, name: str, outcome: Outcome, tested: NDArray[np.intp]) -> None:
        """Learn a model from all rows, and write its file and its page."""
        model = new_classifier(self.settings, self.wishes, name)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", GroupsWarning)  # the split is the reader's choice
            model.fit(self.features, self.labels, groups=self.groups)
        notes = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
        left_out = [*self.settings.drop, *([] if self.groups is None else [self.groups.name])]
        read = {"drop": left_out, "categorical": [], **self.settings.reading}
        words = tuple(command_words(self.settings, self.wishes, name))
        model.training_ = replace(model.training_, table_read=read, command=words)
        folds = len(self.folds) if len(self.folds) > 1 else None
        rows = self.features[tested]
        if folds is not None:
            quality = quality_of(outcome, missing_values(model._used_rows(rows)), folds)
            model.training_ = replace(model.training_, cross_validated=quality)
        model.save(self.folder / f"{name}.bayleaf.json")
        numbers = self.numbers[tested].tolist()
        data = page_data(model, rows, self.labels[tested], cv=folds, held_out=outcome, row_numbers=numbers)
        with atomic_write(self.folder / f"{name}.html") as file:
            file.write(assemble_page(data))
        self.result["methods"][name] |= {"seconds": time.perf_counter() - start, "notes": notes[:10]}
        if name == "network":
            target = model.network_.target
            self.result["arcs"] = [list(arc) for arc in model.network_.arcs if target not in arc]
            self.result["nodes"] = [node for node in self.features.columns if node in model.network_.nodes]
        self.project.write_result(self.number, self.result)

    def against_before(self) -> dict[str, Any] | None:
        """Compare the network with that of the version before: arcs gained and lost, and what that costs."""
        before = [
            n for n in self.project.version_numbers() if n < self.number and self.project.result(n)["done"]
        ]
        if not before:
            return None
        other, folder = self.project.version(before[-1]), self.project.version_folder(before[-1])
        kept = {tuple(arc) for arc in other["result"].get("arcs", [])}
        own = {tuple(arc) for arc in self.result.get("arcs", [])}
        found: dict[str, Any] = {
            "number": other["number"],
            "gained": sorted(map(list, own - kept)),
            "lost": sorted(map(list, kept - own)),
        }
        mine, theirs = (read_rows(each / "network.held-out.csv") for each in (self.folder, folder))
        if mine.keys() != theirs.keys() or any(mine[row][0] != theirs[row][0] for row in mine):
            return {
                **found,
                "sentence": f"{other['name']} was measured on other rows: what it costs is not known.",
            }
        losses = np.array([[-np.log(max(each[row][1], 1e-300)) for row in mine] for each in (mine, theirs)])
        mean, low, high = paired(losses[0] - losses[1])
        what = "costs" if mean > 0 else "saves"
        low, high = (low, high) if mean > 0 else (-high, -low)
        return {
            **found,
            "sentence": f"Against {other['name']}, this {what} {abs(mean):.4f} log-loss per held-out row "
            f"[{low:.4f}, {high:.4f}], {beyond(low, high)}.",
        }


SHOWN = ("Accuracy", "Mean cost", "Log-loss", "Brier score", "AUC", "Calibration error")


def with_costs(outcome: Outcome, loss: dict[str, dict[str, float]]) -> Outcome:
    """Let a method that knows no costs decide by them too."""
    names = [str(label) for label in outcome.labels]
    costs = np.array([[loss.get(t, {}).get(d, float(t != d)) for d in names] for t in names])
    shares = np.bincount(outcome.truth, minlength=len(names)) / len(outcome.truth)
    assert outcome.probabilities is not None
    predicted = cheapest(outcome.probabilities, costs, shares).astype(np.intp)
    return replace(outcome, costs=costs, predicted=predicted)


def comparison(outcomes: dict[str, Outcome]) -> str:
    """Say in one sentence which method is best, and whether its lead is beyond chance."""
    losses = {name: -conditional_log_likelihood(each) for name, each in outcomes.items()}
    best, *others = sorted(losses, key=lambda name: float(losses[name].mean()))
    parts = []
    for name in others:
        mean, low, high = paired(losses[name] - losses[best])
        parts.append(f"{METHODS[name].lower()} by {mean:.3f} [{low:.3f}, {high:.3f}], {beyond(low, high)}")
    return (
        f"Best probabilities on held-out rows: {METHODS[best].lower()}, with log-loss "
        f"{losses[best].mean():.3f}; it is ahead of {'; of '.join(parts)}."
    )


def beyond(low: float, high: float) -> str:
    """Say what an interval of a difference means."""
    return "which is beyond chance" if low > 0 or high < 0 else "which may be chance"


def paired(differences: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the mean of differences between the same rows, and its 95 % interval.

    Examples
    --------
    >>> [round(each, 2) for each in paired(np.array([1.0, 1.0, 2.0, 0.0]))]
    [1.0, 0.2, 1.8]
    """
    mean = float(differences.mean())
    width = 1.959963984540054 * float(differences.std(ddof=1)) / len(differences) ** 0.5
    return mean, mean - width, mean + width


def write_outcome(path: Path, outcome: Outcome, tested: NDArray[np.intp]) -> None:
    """Keep what was predicted for held-out rows: their numbers, classes and probabilities."""
    assert outcome.probabilities is not None
    columns: dict[str, Any] = {"row": tested + 1, "truth": outcome.truth, "predicted": outcome.predicted}
    columns |= {f"P_{k}": outcome.probabilities[:, k] for k in range(len(outcome.labels))}
    if outcome.costs is not None:
        costs = json.dumps(outcome.costs.tolist())
        columns["costs"] = [costs, *[None] * (len(tested) - 1)]
    with atomic_write(path, binary=True) as file:
        pl.DataFrame(columns).write_csv(file)


def read_outcome(path: Path, labels: list[Any]) -> Outcome:
    """Read what was predicted for held-out rows."""
    frame = pl.read_csv(path)
    probabilities = frame.select(pl.col("^P_\\d+$")).to_numpy()
    costs = np.array(json.loads(frame["costs"][0])) if "costs" in frame.columns else None
    truth, predicted = (frame[name].to_numpy().astype(np.intp) for name in ("truth", "predicted"))
    return Outcome(tuple(labels), truth, predicted, probabilities, costs=costs)


def read_rows(path: Path) -> dict[int, tuple[int, float]]:
    """Return the class of each held-out row, and the probability that it got."""
    frame = pl.read_csv(path)
    probabilities = frame.select(pl.col("^P_\\d+$")).to_numpy()
    truth = frame["truth"].to_numpy()
    given = probabilities[np.arange(len(truth)), truth]
    return dict(zip(frame["row"], zip(truth.tolist(), given.tolist(), strict=True), strict=True))


def main() -> None:
    """Learn the version of a project that the arguments name."""
    output = sys.stdout
    sys.stdout = sys.stderr  # what libraries print is no progress

    def end_with_the_studio() -> None:
        sys.stdin.read()
        os._exit(3)

    def say(event: dict[str, Any]) -> None:
        output.write(f"{json.dumps(event)}\n")
        output.flush()

    threading.Thread(target=end_with_the_studio, daemon=True).start()
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    try:
        Learning(folder, number, say).run()
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        say({"error": " ".join(str(error).split()) or type(error).__name__})
    except Exception as error:
        traceback.print_exc()
        say({"error": f"This is a bug in bayleaf ({type(error).__name__}: {error})."})


if __name__ == "__main__":
    main()
