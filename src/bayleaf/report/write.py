"""From a model to a page."""

import os
from collections.abc import Sequence
from typing import Any

from bayleaf._util.files import atomic_write
from bayleaf.ensemble import BaggedClassifier
from bayleaf.network import BayesNet
from bayleaf.scores.loss import class_costs

from .assemble import assemble_page
from .cautions import caution_of_answers
from .ensemble import ensemble_data
from .examples import Examples, classifier_examples, network_examples
from .learned import how_learned
from .model import model_data
from .parts import networks_of
from .quality import quality_data
from .text import shorten


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    cv: int | None = None,
    title: str | None = None,
    row_numbers: Sequence[int] | None = None,
) -> None:
    """Write the model page of a fitted classifier or of a network: one HTML file that needs nothing else.

    Parameters
    ----------
    model : BayesNetClassifier, BaggedClassifier or BayesNet
    path : path
        The file to write.
    X, y : DataFrame or array and class labels, optional
        Data to judge the model by and to take example rows from; best data that fit has not seen. For a network, X
        has a column for every node and y is not needed.
    cv : int, optional
        Take X and y as the training data, and judge the classifier by cross-validation with this many folds.
    title : str, optional
        Heading of the page; by default what is predicted.
    row_numbers : sequence of int, optional
        By what numbers readers know the rows of X; by default they are counted from 1, as people do.

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
    data = page_data(model, X, y, cv=cv, title=title, row_numbers=row_numbers)
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
) -> dict[str, Any]:
    """Everything the page shows, as plain data."""
    record = getattr(model, "training_", None)
    missing = record.missing if record is not None else {}
    examples = _examples(model, X, y, cv)
    if isinstance(model, BaggedClassifier):
        data, target = ensemble_data(model, missing), networks_of(model)[0].target
    else:
        network = model if isinstance(model, BayesNet) else model.network_
        data, target = model_data(network, missing), network.target
    data["title"] = shorten(title or (f"Predicting {target}" if target else "Bayesian network"))
    data["costs"] = costs_data(model)
    data["caution"] = caution_of_answers(model)
    data["examples"] = None if examples is None else examples.to_dict(row_numbers)
    data["quality"] = quality_data(examples, record)
    data["learned"] = how_learned(model)
    return data


def costs_data(model: Any) -> list[list[float]] | None:
    """Return what decisions cost, [true class, decision], where the model weighs them; votes count all the same."""
    if isinstance(model, BaggedClassifier):
        model = model._encoder if model.vote == "average" else None
    loss = getattr(model, "loss", None)
    return None if loss is None else class_costs(loss, model.classes_.tolist(), type(model).__name__).tolist()


def _examples(model: Any, X: Any, y: Any, cv: int | None) -> Examples | None:
    if isinstance(X, str | os.PathLike):
        raise TypeError(
            f"X must be rows of data. Got the text '{X}'; if it is the page to write, pass path='{X}'."
        )
    if isinstance(model, BayesNet):
        if cv is not None:
            raise ValueError("Cross-validation needs a classifier: a network has no learner to fit again.")
        return None if X is None else network_examples(model, X)
    if not hasattr(model, "network_") and not hasattr(model, "estimators_"):
        raise TypeError(
            "A model page needs a fitted BayesNetClassifier or BaggedClassifier, or a BayesNet. Got "
            f"{type(model).__name__} instead."
        )
    if X is None:
        if y is not None or cv is not None:
            raise ValueError("Class labels or cross-validation need data: pass X as well.")
        return None
    return classifier_examples(model, X, y, cv)


__all__ = ["page_data", "write_report"]
