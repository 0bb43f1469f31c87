"""How to make the same model again: its method, a command and a few lines of Python."""

import re
import shlex
from collections.abc import Sequence
from typing import Any

from bayleaf.ensemble import BaggedClassifier
from bayleaf.methods import Method, methods

from .parts import learner, member_of
from .text import shorten

DISCRETIZERS = {
    "MDLP()": "mdlp",
    "MedianSplit()": "median",
    "Quantiles()": "quantiles",
    "EqualWidth()": "equal-width",
}
LEARNED = ("structure", "parameters", "selector")


def method_name(classifier: Any) -> str | None:
    """Name of the published method that a classifier is, if it is one, with settings of its own in brackets.

    Examples
    --------
    >>> import bayleaf as bl
    >>> method_name(bl.classifier("NB")), method_name(bl.classifier("KDB", k=3)), method_name(bl.BayesNetClassifier())
    ('NB', 'KDB(k=3)', None)
    """
    return _registered(classifier, LEARNED)


def _registered(classifier: Any, parts: Sequence[str]) -> str | None:
    """Name of the first method that agrees with a classifier in these parts."""
    wanted = _signature(classifier, parts)
    with_settings = []
    for method in methods():
        built = method.build()
        if type(built) is not type(classifier):
            continue
        if _signature(built, parts) == wanted:
            return method.name
        if method.settings and type(learner(built, "structure")) is type(learner(classifier, "structure")):
            with_settings.append(method)
    spelled = (_with_settings(method, classifier, parts, wanted) for method in with_settings)
    return next((name for name in spelled if name is not None), None)


def _with_settings(method: Method, classifier: Any, parts: Sequence[str], wanted: list[str]) -> str | None:
    """Spell the method with the settings that the classifier's learners have, if that makes it the same."""
    homes = (classifier, learner(classifier, "structure"))
    found = {
        key: next((getattr(home, key) for home in homes if hasattr(home, key)), default)
        for key, default in method.settings.items()
    }
    own = {key: value for key, value in found.items() if value != method.settings[key]}
    if not own or _signature(method.build(**own), parts) != wanted:
        return None
    return f"{method.name}({', '.join(f'{key}={value!r}' for key, value in own.items())})"


def _signature(classifier: Any, parts: Sequence[str]) -> list[str]:
    learners = [repr(learner(classifier, part)) for part in parts]
    if isinstance(classifier, BaggedClassifier):
        learners += [f"{classifier.n_estimators} {classifier.vote}"]
    return learners


def python_lines(classifier: Any) -> str:
    """Return the lines of Python that learn the same."""
    if classifier is None:
        return 'import bayleaf as bl\n\nnet = bl.load_network("network.json")\n'
    body = re.sub(r"\b([A-Z]\w*)\(", r"bl.\1(", shorten(repr(classifier), 2000))
    body = re.sub(r"\n\s+", " ", body)
    return (
        "import bayleaf as bl\nimport polars as pl\n\n"
        'data = pl.read_csv("data.csv")\n'
        f"clf = {body}\n"
        f"clf.fit(data.drop({_target(classifier)!r}), data[{_target(classifier)!r}])\n"
        'clf.save("model.bayleaf.json")\n'
    )


def _target(classifier: Any) -> str:
    return shorten(classifier.schema_.target.name)


def command_line(classifier: Any) -> str | None:
    """Return the call of the command line that learns the same, where it has one."""
    if classifier is None:
        return None
    named = method_name(classifier)
    name = named or _registered(classifier, ("structure", "selector"))
    discretizer = DISCRETIZERS.get(repr(learner(classifier, "discretizer")))
    parameters = repr(learner(classifier, "parameters"))
    sampling = (getattr(classifier, "max_samples", None), getattr(classifier, "bootstrap", True))
    member = member_of(classifier)
    if name is None or discretizer is None or sampling != (None, True) or member.loss is not None:
        return None  # these settings have no spelling on the command line
    words = ["bayleaf", "fit", "data.csv", "--target", _target(classifier), "--method", name]
    if named is None:
        words += ["--set", f"parameters={parameters.removesuffix('()')}"]
    if discretizer != "mdlp":
        words += ["--discretizer", discretizer]
    if member.missing != "available":
        words += ["--missing", member.missing]
    if isinstance(classifier.random_state, int) and classifier.random_state:
        words += ["--seed", str(classifier.random_state)]
    cross_validated = getattr(getattr(classifier, "training_", None), "cross_validated", None)
    if cross_validated is not None:
        words += ["--cv", str(cross_validated.folds)]
    return shlex.join([*words, "-o", "model.bayleaf.json"])


__all__ = ["command_line", "method_name", "python_lines"]
