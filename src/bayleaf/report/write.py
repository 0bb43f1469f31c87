"""From a model to a page."""

import os
from typing import Any

from bayleaf._util.files import atomic_write
from bayleaf.network import BayesNet

from .assemble import assemble_page
from .examples import Examples, classifier_examples, network_examples
from .learned import how_learned
from .model import model_data
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
) -> None:
    """Write the model page of a fitted classifier or of a network: one HTML file that needs nothing else.

    Parameters
    ----------
    model : BayesNetClassifier or BayesNet
    path : path
        The file to write.
    X, y : DataFrame or array and class labels, optional
        Data to judge the model by and to take example rows from; best data that fit has not seen. For a network, X
        has a column for every node and y is not needed.
    cv : int, optional
        Take X and y as the training data, and judge the classifier by cross-validation with this many folds.
    title : str, optional
        Heading of the page; by default what is predicted.

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
    data = page_data(model, X, y, cv=cv, title=title)
    with atomic_write(path) as file:
        file.write(assemble_page(data))


def page_data(
    model: Any, X: Any = None, y: Any = None, *, cv: int | None = None, title: str | None = None
) -> dict[str, Any]:
    """Everything the page shows, as plain data."""
    network, examples = _network_and_examples(model, X, y, cv)
    record = getattr(model, "training_", None)
    missing = record.missing if record is not None else {}
    data = model_data(network, missing)
    data["title"] = shorten(
        title or (f"Predicting {network.target}" if network.target else "Bayesian network")
    )
    data["examples"] = None if examples is None else examples.to_dict()
    data["quality"] = quality_data(examples, record)
    data["learned"] = how_learned(model, network)
    return data


def _network_and_examples(model: Any, X: Any, y: Any, cv: int | None) -> tuple[BayesNet, Examples | None]:
    if isinstance(model, BayesNet):
        if cv is not None:
            raise ValueError("Cross-validation needs a classifier: a network has no learner to fit again.")
        return model, None if X is None else network_examples(model, X)
    network = getattr(model, "network_", None)
    if not isinstance(network, BayesNet):
        raise TypeError(
            f"A model page needs a fitted BayesNetClassifier or a BayesNet. Got {type(model).__name__} instead."
        )
    if X is None:
        if y is not None or cv is not None:
            raise ValueError("Class labels or cross-validation need data: pass X as well.")
        return network, None
    return network, classifier_examples(model, X, y, cv)


__all__ = ["page_data", "write_report"]
