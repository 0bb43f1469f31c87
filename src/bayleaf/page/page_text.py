"""Names and labels as the page shows them, and what a model is made of."""

from typing import Any

from bayleaf.classify import EnsembleClassifier, NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP, Variable
from bayleaf.learn.parameters import Dirichlet
from bayleaf.learn.register import learner_or_text
from bayleaf.learn.structure import AODE, TAN
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


# What stood for None in models that do not say what did.
DEFAULTS = {"structure": TAN, "structures": AODE, "parameters": Dirichlet, "discretizer": MDLP}


def stand_in(classifier: Any, part: str) -> Any:
    """Return the learner that stood for a setting of None when a classifier was fitted; None where no learner did.

    Examples
    --------
    >>> import bayleaf as bl
    >>> stand_in(bl.BayesNetClassifier().fit([["a"], ["b"]], [0, 1]), "parameters")
    TunedTables()
    """
    named = getattr(getattr(classifier, "training_", None), "defaults", None) or {}
    text = named.get(part, "")
    found = learner_or_text(part, text) if 0 < len(text) <= LONGEST else text
    if not isinstance(found, str):
        return found
    return DEFAULTS[part]() if part in DEFAULTS else None


def learner(classifier: Any, part: str) -> Any:
    """Return a learner of a classifier, with the default in the place of None.

    Examples
    --------
    >>> import bayleaf as bl
    >>> learner(bl.BayesNetClassifier(), "structure")
    TAN()
    """
    if part == "structure" and hasattr(classifier, "structures"):
        return learner(classifier, "structures")
    chosen = getattr(classifier if part == "structures" else member_of(classifier), part, None)
    return stand_in(classifier, part) if chosen is None and part in DEFAULTS else chosen


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
