"""Names and labels as the page shows them, and what a model is made of."""

from typing import Any

from bayleaf.classify import EnsembleClassifier, NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import Variable
from bayleaf.network import BayesNet

LONGEST = 160


def shorten(label: object, longest: int = LONGEST) -> str:
    """Turn a label into text of bounded length; states are told apart by their position, never by their text.

    Examples
    --------
    >>> shorten("red"), shorten("x" * 1000, longest=5)
    ('red', 'xxxx… (1,000 characters)')
    """
    text = str(label)
    if len(text) <= longest:
        return text
    return f"{text[: longest - 1]}… ({len(text):,} characters)"


def state_labels(variable: Variable) -> list[str]:
    """Labels of a variable's states; intervals in words that need no brackets.

    Examples
    --------
    >>> state_labels(Variable.numeric("age", [18, 65])), state_labels(Variable("sex", ("f", "m")))
    (['≤ 18', '18 – 65', '> 65'], ['f', 'm'])
    >>> state_labels(Variable.numeric("age", []).with_gap())
    ['any number', '(missing)']
    """
    if variable.cuts is None:
        return [shorten(state) for state in variable.states]
    gap = [str(variable.states[-1])] if variable.gap else []
    if not variable.cuts:
        return ["any number", *gap]
    edges = [str(state).strip("([])").split(", ") for state in variable.value_states]
    inner = [f"{low} – {high}" for low, high in edges[1:-1]]
    return [f"≤ {edges[0][1]}", *inner, f"> {edges[-1][0]}", *gap]


def learner(classifier: Any, part: str) -> Any:
    """Return a learner of a fitted classifier: the one that was given, or the default that was used.

    Examples
    --------
    >>> import bayleaf as bl
    >>> learner(bl.BayesNetClassifier().fit([["a"], ["b"]], [0, 1]), "parameters")
    TunedTables()
    """
    several = part == "structure" and hasattr(classifier, "structures")
    given = classifier.structures if several else getattr(member_of(classifier), part, None)
    return getattr(classifier, f"{part}_", None) if given is None else given


def member_of(classifier: Any) -> Any:
    """Return a classifier with the settings of each network: the classifier itself, or what an ensemble is made of.

    Examples
    --------
    >>> import bayleaf as bl
    >>> member_of(bl.BaggedClassifier())
    BayesNetClassifier()
    """
    if not isinstance(classifier, EnsembleClassifier):
        return classifier
    return BayesNetClassifier() if classifier.estimator is None else classifier.estimator


def networks_of(model: Any) -> list[BayesNet]:
    """Return the networks of a fitted model: one, or those of the members; none of a pool, which is their sum.

    Examples
    --------
    >>> import bayleaf as bl
    >>> networks_of(bl.BayesNetClassifier().fit([["a"], ["b"]], [0, 1]))
    [<BayesNet nodes=2 arcs=1 parameters=3, target='class'>]
    """
    if isinstance(model, BayesNet):
        return [model]
    if isinstance(model, NetworkPool):
        return []
    return [each.network_ for each in getattr(model, "estimators_", [model])]
