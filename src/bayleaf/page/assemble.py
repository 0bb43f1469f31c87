"""From a model to a page: one HTML file from the readable parts in ``assets/``, with the data inside.

The scripts are ordinary modules that import one another. In the page they follow one another in one script, in order
of dependence, each in a function of its own that returns what the module exports. A content security policy admits
only this script and this style sheet (by their hashes) and no network access at all, so that nothing in the data can
run or send anything.
"""

import base64
import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np

from bayleaf._util.whole_files import atomic_write
from bayleaf.classify import EnsembleClassifier, NetworkPool
from bayleaf.classify.base import NetworkClassifier
from bayleaf.classify.record import nothing_learned
from bayleaf.data import Variable
from bayleaf.data.schema import Meaning
from bayleaf.explain.questions import JointQuestions, information_added
from bayleaf.network import BayesNet
from bayleaf.quality import Outcome

from . import learned, shown_networks, shown_rows
from .shown_rows import AllRowsQuality, Examples, shorten

# In order of dependence: each imports only from those before it.
SCRIPTS = (
    "dom.js",
    "numerals.js",
    "number_texts.js",
    "rule.js",
    "model.js",
    "readings.js",
    "junction.js",
    "date_texts.js",
    "file_columns.js",
    "sureness.js",
    "estimate.js",
    "council.js",
    "reasons.js",
    "state.js",
    "address.js",
    "slices.js",
    "borders.js",
    "takeaway.js",
    "charts.js",
    "evidence_text.js",
    "whatif.js",
    "typical.js",
    "decision.js",
    "compare.js",
    "details.js",
    "monitors.js",
    "viewport.js",
    "node_names.js",
    "graph.js",
    "why.js",
    "next.js",
    "sheet.js",
    "features.js",
    "groups.js",
    "thresholds.js",
    "drift.js",
    "quality.js",
    "learned.js",
    "case_table.js",
    "pool.js",
    "predictions.js",
    "summary.js",
    "tour.js",
    "main.js",
)
STYLES = ("base.css", "views.css", "contrast.css", "print.css")


def assemble_page(data: dict[str, Any]) -> str:
    """Return the page for this data as HTML text."""
    script = "\n".join(_plain_script(name) for name in SCRIPTS)
    style = "\n".join(_part(name) for name in STYLES)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src blob:; "  # figures that the page itself makes pictures of
        "base-uri 'none'; form-action 'none'"
    )
    # Each mark is replaced in the template alone, never in text that was put in before.
    fillings = {"policy": policy, "style": style, "data": safe_json(data), "script": script}
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: fillings[mark.group(1)], _part("index.html"))


def safe_json(data: Any) -> str:
    """Write JSON that can stand inside a script element: no character of it can end or open one."""
    # ASCII only, which covers the line separators U+2028 and U+2029 too.
    text = json.dumps(_finite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _finite(value: Any) -> Any:
    """Replace what JSON has no word for (NaN and infinities) by null."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value


def _plain_script(name: str) -> str:
    """Wrap a module in a function of its own that returns what the module exports."""
    source = _part(name)
    exported = re.findall(r"^export (?:function\*?|const|class) (\w+)", source, flags=re.MULTILINE)
    body = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
    body = re.sub(r"^export (?=(function|const|class)\b)", "", body, flags=re.MULTILINE)
    names = ", ".join(exported)
    if not exported:
        return f"// ---- {name} ----\n{{\n{body}}}\n"
    return f"// ---- {name} ----\nconst {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def _part(name: str) -> str:
    return (files("bayleaf.page") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    cv: int | None = None,
    title: str | None = None,
    row_numbers: Sequence[int] | None = None,
    meaning: Meaning | None = None,
    measured: AllRowsQuality | None = None,
    source: str | None = None,
) -> None:
    """Write the model page of a fitted classifier or of a network: one HTML file that needs nothing else.

    Parameters
    ----------
    model : BayesNetClassifier, BaggedClassifier, AveragedClassifier, NetworkPool or BayesNet
    path : path
        The file to write.
    X, y : DataFrame or array and class labels, optional
        Data to assess the model on and to show as examples, preferably rows that fit has not seen. For a network,
        X has a column for every node and y is not needed.
    cv : int, optional
        Take X and y as the training data, and assess the classifier by cross-validation with this many folds.
    title : str, optional
        Heading of the page; by default what is predicted.
    row_numbers : sequence of int, optional
        Numbers shown for the rows of X; by default they are counted from 1.
    meaning : Meaning, optional
        Names, units and descriptions of columns; by default those that the model keeps.
    measured : AllRowsQuality, optional
        How good a classifier is on more rows, of which X and y are a uniform sample.
    source : str, optional
        What the rows are called on the page, such as the name of their file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = bl.BayesNetClassifier().fit(X[::2], y[::2])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.html"
    >>> write_report(clf, path, X[1::2], y[1::2])
    >>> path.read_text().startswith("<!doctype html>")
    True
    """
    data = page_data(
        model,
        X,
        y,
        cv=cv,
        title=title,
        row_numbers=row_numbers,
        meaning=meaning,
        measured=measured,
        source=source,
    )
    with atomic_write(path) as file:
        file.write(assemble_page(data))


def page_data(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    cv: int | None = None,
    title: str | None = None,
    row_numbers: Sequence[int] | None = None,
    meaning: Meaning | None = None,
    measured: AllRowsQuality | None = None,
    source: str | None = None,
    held_out: Outcome | None = None,
) -> dict[str, Any]:
    """Everything the page shows, as plain data.

    ``held_out`` is what models like this one, which had not seen the rows, have predicted for them already; ``cv``
    says then in how many folds.
    """
    record = getattr(model, "training_", None)
    meaning = getattr(model, "meaning_", Meaning()) if meaning is None else meaning
    facts = shown_networks.ColumnFacts(meaning=meaning)
    if record is not None:
        facts = replace(facts, missing=record.missing, ranges=record.ranges or {})
    examples = _examples(model, X, y, cv, measured, held_out)
    network: BayesNet | None = None
    target: str | None
    if isinstance(model, NetworkPool):
        data, target = (
            shown_networks.pool_data(model, facts, X, examples, row_numbers),
            model.schema_.variables[-1].name,
        )
    elif isinstance(model, EnsembleClassifier):
        data, target = shown_networks.ensemble_data(model, facts), learned.networks_of(model)[0].target
    else:
        network = model if isinstance(model, BayesNet) else model.network_
        data, target = shown_networks.model_data(network, facts), network.target
        data["readings"] = shown_networks.readings_data(getattr(model, "_predictor", None), network)
        told = None if isinstance(model, BayesNet) else model._told_by_features()
        data["told"] = None if told is None else [*told.tolist(), None]
    data["file"] = shown_networks.file_data(model, _nodes(model, network)) if target else None
    usual = f"Predicting {meaning.name(target)}" if target else "Bayesian network"
    data["source"] = None if source is None else shorten(source)
    data["columns"] = shown_networks.column_lines(model)
    data["title"] = shorten(title or meaning.title or usual)
    data["added"] = added_data(model, network)
    data["sure"] = shown_networks.sure_data(model)
    data["costs"] = costs_data(model)
    data["caution"] = learned.caution_of_answers(model)
    explained = isinstance(model, NetworkPool)  # there is no What if that could load rows
    data["examples"] = None if examples is None or explained else examples.to_dict(row_numbers)
    quality = shown_rows.shown_quality(examples, record)
    data["quality"] = shown_rows.quality_data(quality, examples, model)
    data["held_out"] = shown_rows.held_out_data(model)
    new = X is not None and cv is None and held_out is None
    compared = new and examples is not None and examples.seen is None
    data["drift"] = shown_rows.drift_data(model, X, y) if compared else None
    if explained and quality is not None:
        data["quality"]["groups"] = []  # a group is a state, and the page has only those of its rows
    nothing = None if isinstance(model, BayesNet) else nothing_learned(model, quality)
    data["nothing"] = None if nothing is None else shorten(nothing, 600)
    data["learned"] = learned.how_learned(model)
    return data


def _nodes(model: Any, network: BayesNet | None) -> list[Variable]:
    """Return the variables of the nodes that the page shows, the class last."""
    if network is None:
        return [*(model.schema_.features[j] for j in model.schema_.used), model.schema_.variables[-1]]
    return list(network.variables)


# Rows drawn to measure what each feature adds to the others, and the most work that this is worth.
DRAWN = 200
MOST_WORK = 2e8


def added_data(model: Any, network: BayesNet | None) -> list[float | None] | None:
    """Return what each feature adds to all others about the class, in bits, by node; None where that is not known."""
    if network is None or not isinstance(model, JointQuestions):
        return None
    entries = shown_networks.junction_entries(network, shown_networks.elimination_order(network))
    if DRAWN * len(network.nodes) * entries > MOST_WORK:
        return None
    try:
        joint = model._joint_model()
    except ValueError:  # parents depend on the row
        return None
    rows = joint.draw(DRAWN, np.random.default_rng(0))
    return [*information_added(joint, rows).tolist(), None]


def costs_data(model: Any) -> list[list[float]] | None:
    """Return what decisions cost, [true class, decision], where the model weighs them; votes are only counted."""
    if isinstance(model, EnsembleClassifier):
        model = None if model.council_.vote == "majority" else model
    costs = model._costs() if isinstance(model, NetworkClassifier) else None
    return None if costs is None else costs.tolist()


def _examples(
    model: Any, X: Any, y: Any, cv: int | None, measured: AllRowsQuality | None, held_out: Outcome | None
) -> Examples | None:
    if isinstance(X, str | os.PathLike):
        raise TypeError(
            f"X must be rows of data. Got the text '{X}'; if it is the page to write, pass path='{X}'."
        )
    if isinstance(model, BayesNet):
        if cv is not None:
            raise ValueError("Cross-validation needs a classifier: a network has no learner to fit again.")
        return None if X is None else shown_rows.network_examples(model, X)
    if not any(hasattr(model, name) for name in ("network_", "estimators_", "mixture_")):
        raise TypeError(
            "A model page needs a fitted classifier of bayleaf, such as BayesNetClassifier, or a BayesNet. Got "
            f"{type(model).__name__} instead."
        )
    if X is None:
        if y is not None or cv is not None:
            raise ValueError("Class labels or cross-validation need data: pass X as well.")
        return None
    return shown_rows.classifier_examples(model, X, y, cv, measured, held_out)
