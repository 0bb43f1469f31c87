"""Things that a careful reader of a model should know."""

from collections.abc import Iterable, Iterator
from typing import Any

from bayleaf.ensemble import BaggedClassifier
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.record import TrainingRecord

from .parts import networks_of
from .text import shorten

RARE_CLASS = 30
OFTEN_MISSING = 0.5


def cautions(model: Any) -> Iterator[str]:
    """Yield a sentence for each thing to be careful about.

    Examples
    --------
    >>> import bayleaf as bl
    >>> list(cautions(bl.BayesNetClassifier().fit([["a"], ["b"]], ["no", "yes"])))
    ['Few training rows for no (1), yes (1): little can be learned.']
    """
    classifier = None if isinstance(model, BayesNet) else model
    networks = networks_of(model)
    record = getattr(classifier, "training_", None)
    answers = caution_of_answers(model)
    if answers is not None:
        yield answers
    if classifier is not None and record is None:
        yield "The model file holds no record of its training data: rows, classes and missing values are unknown."
    if classifier is not None and record is not None:
        yield from _about_the_data(record, classifier.schema_.target.states, networks[0])
    if classifier is not None:
        inside = {name for network in networks for name in network.nodes}
        unused = [variable.name for variable in classifier.schema_.features if variable.name not in inside]
        if unused:
            yield f"Features left out of the network{'s' * (len(networks) > 1)}: {_names(unused)}."
    yield from _about_the_graph(networks, ensemble=isinstance(model, BaggedClassifier))


def caution_of_answers(model: Any) -> str | None:
    """Return what to know about the page's own answers, where they are not those of the classifier.

    Examples
    --------
    >>> import bayleaf as bl
    >>> caution_of_answers(bl.BayesNetClassifier().fit([["a"], ["b"]], ["no", "yes"])) is None
    True
    """
    predictors = [getattr(each, "_predictor", None) for each in getattr(model, "estimators_", [model])]
    if not any(isinstance(each, InstanceNetwork) for each in predictors):
        return None
    return (
        "Parents depend on the row through functional dependencies: the figures are those of the classifier, but "
        "the network, What if and Why show what applies where no dependency holds."
    )


def _about_the_data(record: TrainingRecord, classes: Iterable[object], network: BayesNet) -> Iterator[str]:
    rare = [(s, w) for s, w in zip(classes, record.class_weights, strict=True) if w < RARE_CLASS]
    if rare:
        shown = _listed(f"{shorten(state, 40)} ({weight:g})" for state, weight in rare)
        yield f"Few training rows for {shown}: little can be learned."
    if record.unseen:
        cells = dict(sorted(record.unseen.items(), key=lambda item: -item[1]))
        shown = _listed(
            f"{shorten(name, 40)} ({n:,} of {_rows(network, name):,})" for name, n in cells.items()
        )
        yield f"Parent configurations without a training row: {shown}. Their probabilities come from smoothing."
    sparse = [name for name, share in record.missing.items() if share > OFTEN_MISSING]
    if sparse:
        yield f"More than half the values are missing: {_names(sparse)}."


def _about_the_graph(networks: list[BayesNet], *, ensemble: bool) -> Iterator[str]:
    known = {variable.name: variable for network in networks for variable in network.variables}
    constant = [name for name, variable in known.items() if variable.arity == 1]
    if constant:
        yield f"Features with a single state, which tell nothing: {_names(constant)}."
    target = networks[0].target
    if target is None:
        return
    blanket = {target}.union(*(network.markov_blanket(target) for network in networks))
    outside = [name for name in known if name not in blanket]
    if outside:
        whose = "of every network's class" if ensemble else "of the class"
        yield (
            f"Outside the Markov blanket {whose}, hence without influence once the others are known: "
            f"{_names(outside)}."
        )


def _rows(network: BayesNet, name: str) -> int:
    table = network.cpt(name)
    return int(table.size // table.shape[-1])


def _names(names: Iterable[str]) -> str:
    return _listed(shorten(name, 40) for name in names)


def _listed(items: Iterable[str], most: int = 8) -> str:
    shown = list(items)
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest


__all__ = ["cautions"]
