"""A fitted classifier as notebooks show it: what it is in words, and its network or its strongest features."""

from collections.abc import Iterator
from typing import Any

from bayleaf._util.cards import bars, card, facts, sentence
from bayleaf._util.words import counted, listing
from bayleaf.classify import EnsembleClassifier, NetworkPool
from bayleaf.classify.record import decides_as, nothing_learned
from bayleaf.graph import DAG
from bayleaf.network.decisions import costs_in_words
from bayleaf.network.predictors import caution_about

from .drawing import Picture, draw
from .learned import learner, networks_of
from .shown_networks import common_arcs, on_all_nodes

# Larger networks are not drawn in passing, and of a pool only the strongest features are shown.
MOST_NODES = 40
MOST_FEATURES = 12


def classifier_html(model: Any, settings: str) -> str:
    """Return a fitted classifier for a notebook.

    Parameters
    ----------
    model : BayesNetClassifier, BaggedClassifier, AveragedClassifier or NetworkPool
    settings : str
        HTML that shows the settings; it is folded away.
    """
    title = model.meaning_.title or f"{type(model).__name__} of {model.schema_.target.name}"
    alarm = nothing_learned(model)
    drawn = _strongest(model) if isinstance(model, NetworkPool) else _drawing(model)
    return card(
        title,
        facts(_facts(model)),
        "" if alarm is None else sentence(alarm, alarm=True),
        drawn,
        f'<details style="margin-top:0.5em"><summary>Settings</summary>{settings}</details>',
    )


def _facts(model: Any) -> Iterator[tuple[str, str]]:
    record = getattr(model, "training_", None)
    yield "Method", _method(model, record)
    if record is None:
        yield "Classes", listing(model.classes_.tolist(), 6)
    else:
        yield "Rows", f"{record.rows:,}"
        weights = record.class_weights
        shares = [weight / (sum(weights) or 1.0) for weight in weights]
        labels = model.schema_.target.states
        yield "Classes", listing((f"{c} ({p:.1%})" for c, p in zip(labels, shares, strict=True)), 6)
    yield "Features", f"{len(model.schema_.columns):,}"
    yield _size(model)
    costs, held_out = model._costs(), model.out_of_sample_
    if held_out is not None:
        yield "Held out in fit", str(held_out)
    if record is not None and record.cross_validated is not None:
        quality = record.cross_validated
        decisions = ("Accuracy",) if quality.costs is None else ("Mean cost", "Accuracy")
        names = ("Log-loss", *(decisions if decides_as(model, quality) else ()))
        values = (f"{name.lower()} {quality.value(name):.3f}" for name in names)
        yield f"Cross-validated in {quality.folds} folds", ", ".join(values)
    if costs is not None:
        yield "Costs of decisions", costs_in_words(costs, model.classes_.tolist())


def _method(model: Any, record: Any) -> str:
    named = getattr(record, "method", None)
    if named is not None:
        return str(named)
    if isinstance(model, NetworkPool):
        return "many networks in one score"
    return f"{learner(model, 'structure')!r} with {learner(model, 'parameters')!r}"


def _size(model: Any) -> tuple[str, str]:
    parameters = f"{model.n_parameters_:,} parameters"
    networks = networks_of(model)
    if isinstance(model, NetworkPool):
        return "Size", f"{model.n_parameters_:,} numbers in tables and forms"
    if isinstance(model, EnsembleClassifier):
        return "Networks", f"{len(networks):,}, {parameters}"
    return "Network", f"{counted(len(networks[0].arcs), 'arc')}, {parameters}"


def _drawing(model: Any) -> str:
    """Draw the network, or of several the arcs that more than half of them have."""
    graph, shares, words = _graph(model)
    if len(graph.nodes) > MOST_NODES:
        return sentence(f"{len(graph.nodes):,} nodes: too many for a small drawing. {words}")
    try:
        picture = draw(graph, shares, target=model.schema_.target.name, aside=True)
    except ImportError:  # igraph is an extra
        return sentence("The drawing needs igraph: pip install 'bayleaf[report]'.")
    return f'<div style="margin-top:0.4em;max-height:560px;overflow:auto">{picture.svg}</div>{_notes(model, picture)}'


def _graph(model: Any) -> tuple[DAG, dict[tuple[str, str], float] | None, str]:
    """Return what to draw, how thick its arcs are, and what shows more."""
    if not isinstance(model, EnsembleClassifier):
        return model.network_.dag, None, "network_.plot() draws them."
    schema = model.schema_
    variables = [*(schema.features[j] for j in schema.used), schema.variables[-1]]
    dag, shares = common_arcs([on_all_nodes(each, variables) for each in networks_of(model)])
    named = {(dag.nodes[parent], dag.nodes[child]): share for (parent, child), share in shares.items()}
    return dag, named, "report() writes a page that shows them."


def _notes(model: Any, picture: Picture) -> str:
    notes = []
    members = getattr(model, "estimators_", [model])
    if (caution := next(filter(None, map(caution_about, members)), None)) is not None:
        notes.append(caution)
    if isinstance(model, EnsembleClassifier):
        notes.append("Drawn: arcs that more than half of the networks have; thick ones are in all.")
    if picture.left_out:
        notes.append(
            f"Left out: {counted(picture.left_out, 'arc')} from the class, which lead to most features."
        )
    return sentence(" ".join(notes)) if notes else ""


def _strongest(pool: NetworkPool) -> str:
    """Show the features of a pool whose evidence is the largest on average."""
    used = pool.schema_.used
    order = sorted(used, key=lambda j: (-pool.mean_evidence_[j], j))[:MOST_FEATURES]
    lines = [([pool.schema_.features[j].name], float(pool.mean_evidence_[j])) for j in order]
    heading = ("feature", "mean evidence (log-odds)")
    largest = max((number for _, number in lines), default=0.0) or 1.0
    more = len(used) - len(order)
    rest = sentence(f"... and {counted(more, 'more feature')}") if more > 0 else ""
    return bars(heading, lines, signed=False, scale=largest) + rest
