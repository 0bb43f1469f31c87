"""Rows of data for the page, and how good the model is on them."""

import base64
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from bayleaf._util.words import counted, warn
from bayleaf.classify.base import NetworkClassifier
from bayleaf.classify.one_network import class_prior
from bayleaf.classify.record import Quality, TrainingRecord, decides_as
from bayleaf.data import Schema, Table
from bayleaf.data.categories import without_identifiers
from bayleaf.data.columns import check_rows, take_rows
from bayleaf.data.raw_rows import RowDigest, raw_numbers, row_hashes
from bayleaf.data.reader import labelled_rows
from bayleaf.data.target import unknown_labels
from bayleaf.network import BayesNet
from bayleaf.network.decisions import costs_in_words, posteriors
from bayleaf.quality import Outcome
from bayleaf.quality.cross_validation import assessment_folds, out_of_fold, predicted_outcome
from bayleaf.quality.drift import compare_rows
from bayleaf.quality.intervals import FIGURES, class_figures, group_counts, rarest_class, threshold_counts
from bayleaf.quality.outcome import target_array
from bayleaf.quality.quality_record import accuracy_by_missing, missing_values, quality_of
from bayleaf.quality.weak_groups import weak_groups

LONGEST = 160
# A page carries this many rows to load: enough to browse, small enough to mail.
MOST_ROWS = 400
MOST_CODES = 60_000


def shorten(label: object, longest: int = LONGEST) -> str:
    """Turn a label into text of bounded length; states are identified by their position, never by their text."""
    text = str(label)
    if len(text) <= longest:
        return text
    return f"{text[: longest - 1]}… ({len(text):,} characters)"


@dataclass(frozen=True)
class AllRowsQuality:
    """How good a model is on more rows than the page is given, which are a uniform sample of them."""

    quality: Quality
    seen: str | None = None  # a sentence where the model was fitted to some of the rows
    unknown: str | None = None  # a sentence where some of the rows have a class that the model does not know
    seen_share: float = 1.0  # of the rows, those that were used to fit, where there is a sentence about them


@dataclass(frozen=True, eq=False)
class Examples:
    """Encoded rows, and what the model predicted for them."""

    codes: NDArray[np.int32]  # rows by nodes; -1 for the class, and where missing unless that is a state
    missing: NDArray[np.int64]  # how many features each row lacks
    outcome: Outcome | None  # None without class labels
    folds: int | None  # of the cross-validation that predicted the rows
    notes: list[str]  # what was noticed while reading them
    positions: NDArray[np.int64] | None = None  # in the data given, where some of its rows were left out
    seen: str | None = None  # a sentence where the model was fitted to some of the rows
    numbers: dict[int, NDArray[np.float64]] = field(default_factory=dict)  # as the data has them, by node
    seen_share: float = 0.0  # of the rows, those that were used to fit
    measured: AllRowsQuality | None = None  # what all rows say, where these are a sample of them

    def to_dict(self, numbers: Sequence[int] | None = None) -> dict[str, Any]:
        """Return the rows to load; readers know them by ``numbers``, 1, 2, ... by default."""
        chosen = self.chosen(min(MOST_ROWS, MOST_CODES // max(self.codes.shape[1], 1)))
        given = chosen if self.positions is None else self.positions[chosen]
        data: dict[str, Any] = {
            "rows": (given + 1).tolist() if numbers is None else [int(numbers[row]) for row in given],
            "codes": base64.b64encode(self.codes[chosen].astype("<i4").tobytes()).decode(),
            "total": len(self.codes) if self.measured is None else self.measured.quality.rows,
            "missing": self.missing[chosen].tolist(),
            "numbers": {
                str(node): [float(f"{value:.15g}") for value in values[chosen]]
                for node, values in self.numbers.items()
            },
        }
        if self.outcome is not None:
            labels = [shorten(label) for label in self.outcome.labels]
            data["truth"] = [labels[k] for k in self.outcome.truth[chosen]]
            data["folds"] = self.folds  # predicted by models like the one shown, not by itself
            data["right"] = (self.outcome.truth == self.outcome.predicted)[chosen].astype(int).tolist()
            data["classes"] = self.outcome.truth[chosen].tolist()
            data["predicted"] = self.outcome.predicted[chosen].tolist()
            confidence = np.asarray(self.outcome.probabilities)[chosen].max(axis=1)
            data["confidence"] = [float(f"{p:.6g}") for p in confidence]
            if len(chosen) * len(labels) <= MOST_CODES:
                shown = np.asarray(self.outcome.probabilities)[chosen]
                data["p"] = [[float(f"{p:.6g}") for p in row] for row in shown]
        return data

    def chosen(self, most: int) -> NDArray[np.int64]:
        """Return which rows to show: all of few, otherwise an even choice, with more of the misclassified ones."""
        rows, most = len(self.codes), max(1, most)
        if rows <= most:
            return np.arange(rows)
        chosen = _spread(np.arange(rows), most * 3 // 4)
        if self.outcome is not None:
            wrong = np.flatnonzero(self.outcome.truth != self.outcome.predicted)
            chosen = np.union1d(chosen, _spread(wrong, most // 4))
        return chosen


def _spread(rows: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def classifier_examples(
    classifier: Any,
    X: Any,
    y: Any,
    cv: int | None,
    measured: AllRowsQuality | None = None,
    held_out: Outcome | None = None,
) -> Examples:
    """Encode rows by the classifier's schema and predict them by it (with ``cv`` by models like it).

    ``held_out`` is what models like it have predicted for these rows already.
    """
    notes, known = [], None
    if y is not None:
        check_consistent_length(X, y)
        known = labelled_rows(y)
        if known is not None:
            notes.append(f"{counted(len(y) - len(known), 'row')} without a class left out.")
            X, y = take_rows(X, known), take_rows(y, known)
    unknown = None if y is None or measured is not None else _unknown_classes(classifier, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = without_identifiers(classifier._used_rows(X))
        if y is None or held_out is not None:
            outcome = held_out
        elif cv is None:
            outcome = predicted_outcome(classifier, X, y)
        else:
            outcome = out_of_fold(classifier, X, y, assessment_folds(y, cv))
    codes = np.full((table.n_rows, table.n_variables + 1), -1, dtype=np.int32)
    codes[:, :-1] = np.where(table.codes == table.missing_code, -1, table.codes.astype(np.int32))
    notes += sorted({str(each.message) for each in caught if issubclass(each.category, UserWarning)})
    if unknown is not None:
        notes.append(unknown)
        warn(unknown)
    if measured is not None and outcome is not None:
        outcome = _with_classes(outcome, measured.quality.classes)
        seen = measured.seen
        notes += [] if measured.unknown is None else [measured.unknown]
        share = measured.seen_share
    else:
        new = y is None or cv is not None or held_out is not None
        seen, share = (None, 0.0) if new else used_to_fit(classifier, X, y)
    numbers = _numbers(classifier.schema_, X, table.names)
    return Examples(codes, missing_values(table), outcome, cv, notes, known, seen, numbers, share, measured)


def _with_classes(outcome: Outcome, classes: Sequence[str]) -> Outcome:
    """Give the outcome of a sample the classes of all rows: it may lack some that the model does not know."""
    place = np.array([classes.index(str(label)) for label in outcome.labels])
    probabilities = np.zeros((len(outcome.truth), len(classes)))
    probabilities[:, place] = outcome.probabilities
    return Outcome(tuple(classes), place[outcome.truth], place[outcome.predicted], probabilities)


def _numbers(schema: Schema, X: Any, nodes: Sequence[str]) -> dict[int, NDArray[np.float64]]:
    """Return the numbers of rows as the data has them, by node; none where rows are codes already."""
    if isinstance(X, Table):
        return {}
    found = raw_numbers(schema, check_rows(X))
    return {node: found[name] for node, name in enumerate(nodes) if name in found}


def used_to_fit(classifier: Any, X: Any, y: Any) -> tuple[str | None, float]:
    """Say which share of rows the classifier was fitted to, if it was to any, and return it; 0 if unknown."""
    digest = getattr(getattr(classifier, "training_", None), "digest", None)
    if digest is None:
        return None, 0.0
    equal = digest.equal(row_hashes(classifier.schema_, check_rows(X), y))
    return seen_sentence(digest, equal, len(y)), digest.share(equal, len(y))


def seen_sentence(digest: RowDigest, equal: int, all_rows: int) -> str | None:
    """Say which share of rows took part in training, if any did, given how many equal a row that is kept."""
    share = digest.share(equal, all_rows)
    if not share:
        return None
    if digest.is_exact:
        part = f"{equal:,} of these {all_rows:,} rows ({share:.0%})"
        which = "These rows" if equal == all_rows > 1 else part
    else:
        which = "These rows" if share > 0.995 else f"About {share:.0%} of these rows"
    were = "was" if digest.is_exact and equal == 1 else "were"
    if share < FEW_SEEN:
        return f"{which} {were} used to fit: too few to change the figures."
    return f"{which} {were} used to fit: the figures are optimistic."


def _unknown_classes(classifier: Any, y: Any) -> str | None:
    """Say which rows have a class that was not in training, so no prediction is correct; refuse y if all have."""
    truth = target_array(y).tolist()
    unknown = np.flatnonzero(unknown_labels(truth, classifier.classes_.tolist()))
    return unknown_sentence(len(unknown), {truth[row] for row in unknown}) if len(unknown) else None


def unknown_sentence(rows: int, classes: Iterable[Any]) -> str:
    """Say how many rows have classes that a model does not know."""
    labels = [shorten(label, 40) for label in sorted(classes, key=str)]
    shown = ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
    which = f"{rows:,} row has" if rows == 1 else f"{rows:,} rows have"
    count = "it counts" if rows == 1 else "they count"
    return f"{which} a class that the model does not know ({shown}): {count} as misclassified."


def network_examples(network: BayesNet, X: Any) -> Examples:
    """Encode rows that have a column for every node; where the network has a class, predict it."""
    table = network.encode(X)
    codes = np.where(table.codes == table.missing_code, -1, table.codes.astype(np.int32))
    if network.target is None:
        return Examples(codes, missing_values(table), None, None, [])
    target = network.dag.index(network.target)
    missing = missing_values(table.hide([target])) - 1
    truth = codes[:, target].copy()
    codes[:, target] = -1
    if (truth < 0).any():
        return Examples(codes, missing, None, None, ["Rows without a class are not assessed."])
    log_joint = network.log_joint(table, target, table.n_jobs)
    states = network.variables[target].states
    outcome = Outcome.of(
        [states[k] for k in truth],
        classes=np.array(states, dtype=object),
        probabilities=posteriors(log_joint, class_prior(network), table.n_jobs),
    )
    return Examples(codes, missing, outcome, None, [])


def shown_quality(examples: Examples | None, record: TrainingRecord | None) -> Quality | None:
    """Return how good the model is on the rows given; without any, what its record keeps of a cross-validation."""
    if examples is not None and examples.outcome is not None:
        if examples.measured is not None:
            missing = accuracy_by_missing(examples.outcome, examples.missing)
            return replace(examples.measured.quality, missing=missing)
        return quality_of(examples.outcome, examples.missing, examples.folds)
    return None if record is None else record.cross_validated


def quality_data(quality: Quality | None, examples: Examples | None, model: Any) -> dict[str, Any] | None:
    """Return measures, confusion matrix and curves as plain data; None where nothing is known.

    Groups and thresholds are there only where the quality is that of ``examples``.
    """
    if quality is None:
        return None
    of_rows: dict[str, Any] = {"notes": [], "seen": None, "seen_matters": False}
    if examples is not None and examples.outcome is not None:
        of_rows = details_data(examples, quality)
    return {
        **asdict(quality),
        "by_class": class_figures(quality.classes, quality.confusion),
        "classes": [shorten(label) for label in quality.classes],
        "source": source(quality),
        **of_rows,
        "notes": [*of_rows["notes"], *changed_costs(model, quality)],
    }


MOST_GROUPS = 24
# Groups whose Brier loss is larger by less than this are not worth a line.
MATTERS = 0.02
# Fewer rows than this share that were used to fit are too few to change the figures.
FEW_SEEN = 0.01
MOST_CALM = 10  # comparisons without an alarm that a page shows


def details_data(examples: Examples, quality: Quality) -> dict[str, Any]:
    """Return what the rows themselves tell: notes, counts of groups of rows, by node and state, and of thresholds.

    State -1 means missing.
    """
    outcome = examples.outcome
    assert outcome is not None
    focus = rarest_class(outcome)
    groups = []
    confidence = np.asarray(outcome.probabilities)[np.arange(len(outcome.truth)), outcome.predicted]
    for node, codes in enumerate(examples.codes.T):
        found = np.unique(codes)
        if 1 < len(found) <= MOST_GROUPS:
            places = np.searchsorted(found, codes)
            counts = group_counts(outcome, places, len(found), focus)
            means = np.bincount(places, confidence, len(found)) / np.maximum(counts[:, 0], 1)
            groups.append(
                {
                    "node": node,
                    "states": found.tolist(),
                    "counts": counts.tolist(),
                    "confidence": [float(f"{each:.6g}") for each in means],
                }
            )
    shown = [curve["class"] for curve in quality.curves]
    sample = {} if examples.measured is None else {"sample": len(examples.codes)}
    return {
        **sample,
        "notes": [shorten(note, 400) for note in examples.notes],
        "seen": examples.seen,
        "seen_matters": examples.seen_share >= FEW_SEEN,
        "weak": weak_data(examples),
        "focus": focus,
        "groups": groups,
        "thresholds": [{"class": k, **threshold_counts(outcome, k)} for k in shown],
    }


def weak_data(examples: Examples) -> dict[str, Any]:
    """Return the groups of rows that the model predicts worse than chance would explain, by node and state."""
    outcome = examples.outcome
    assert outcome is not None
    truth = np.zeros_like(outcome.probabilities)
    truth[np.arange(len(outcome.truth)), outcome.truth] = 1.0
    found = weak_groups(
        ((np.asarray(outcome.probabilities) - truth) ** 2).sum(axis=1), examples.codes, MATTERS
    )
    right = outcome.truth == outcome.predicted
    return {
        "looked_at": found.looked_at,
        "loss": found.loss,
        "groups": [
            {
                "states": [list(state) for state in group.states],
                "rows": len(group.rows),
                "right": int(right[group.rows].sum()),
                "loss": group.loss,
                "p": group.p,
            }
            for group in found.groups
        ],
    }


def held_out_data(model: Any) -> dict[str, Any] | None:
    """Return the figures of the rows that were held out in fit as plain data; None where there are none."""
    found = getattr(model, "out_of_sample_", None)
    if found is None:
        return None
    known = {name: (value, baseline) for name, value, baseline in found.figures()}
    measures = []
    for name in FIGURES:
        key = name if name.startswith("Brier") else name.lower()
        if key in known:
            value, baseline = known[key]
            measures.append({"name": name, "value": value, "baseline": baseline, "hint": FIGURES[name][1]})
    note = (
        "" if found.costs is None else f"Costs of decisions: {costs_in_words(found.costs, model.classes_)}."
    )
    if "accuracy" not in known:
        note = "The costs (loss) were changed after fit: decisions by the costs of now were not measured."
    return {"rows": found.rows, "measures": measures, "note": note}


def drift_data(model: Any, X: Any, y: Any) -> dict[str, Any] | None:
    """Compare rows with the training rows, as plain data; None where the model keeps nothing to compare them with."""
    if getattr(getattr(model, "training_", None), "counts", None) is None:
        return None
    found = compare_rows(model, X, y)
    data = found.to_dict()
    lines = [line for line in data["lines"] if line["alarm"]] + [x for x in data["lines"] if not x["alarm"]][
        :MOST_CALM
    ]
    shortened = [
        {**line, **{key: shorten(line[key]) for key in ("name", "before", "now", "follows")}}
        for line in lines
    ]
    return {**data, "lines": shortened, "verdict": shorten(found.verdict, 600), "compared": len(found.lines)}


def source(quality: Quality) -> str:
    """Tell in a sentence where the figures come from, and in another what decisions cost."""
    where = f"Measured on {counted(quality.rows, 'row')}."
    if quality.folds is not None:
        where = (
            f"Cross-validated on the training data, {quality.folds} folds: each of the {quality.rows:,} rows by a "
            "model that had not seen it."
        )
    if quality.costs is None:
        return where
    classes = [shorten(label, 40) for label in quality.classes[: len(quality.costs)]]
    return f"{where} Decisions are those of the smallest expected cost: {costs_in_words(quality.costs, classes)}."


def changed_costs(model: Any, quality: Quality) -> list[str]:
    """Say that the costs of decisions are others than those by which the model was measured, if so."""
    if not isinstance(model, NetworkClassifier) or decides_as(model, quality):
        return []
    return [
        "The costs (loss) were changed since: accuracy, confusion matrix and figures by class are those of decisions "
        "by the costs of then."
    ]
