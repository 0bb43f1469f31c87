"""How the model was learned: method and reference, settings, steps, data, cautions, versions.

And how to learn the same model again: by the command that was given, or by lines of Python.
"""

import inspect
import re
import shlex
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from math import log
from typing import Any

from sklearn.base import clone

from bayleaf._util.params import written
from bayleaf.classify import BaggedClassifier, EnsembleClassifier, NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.classify.record import TrainingRecord, versions
from bayleaf.data import Variable
from bayleaf.data.schema import MOST_REMARKS
from bayleaf.data.text_values import find_numbers
from bayleaf.learn.structure.tan import default_structure
from bayleaf.models.settings import NoSpellingError, own_settings, spelled
from bayleaf.network import BayesNet
from bayleaf.network.predictors import how_it_predicts
from bayleaf.tables import MISSING_VALUES

from .shown_rows import shorten

# What a page has room for; a name may be a million characters long.
MOST_CHARACTERS = 40_000
LONGEST_STEP = 120
RARE_CLASS = 30
OFTEN_MISSING = 0.5


def how_learned(model: Any) -> dict[str, Any]:
    """Everything about how a model was learned, as plain data."""
    classifier = None if isinstance(model, BayesNet) else model
    record = getattr(classifier, "training_", None)
    method = getattr(record, "method", None)
    kind = classifier if isinstance(classifier, NetworkPool) else learner(classifier, "structure")
    return {
        "method": None if method is None else shorten(method),
        "structure": None if kind is None else type(kind).__name__,
        "settings": [] if classifier is None else list(_settings(classifier)),
        "references": [] if classifier is None else list(_references(classifier)),
        "scores": list(_scores(model)),
        "search": search_data(record),
        "data": list(_data_summary(model)),
        "classes": [] if record is None else _class_weights(classifier),
        "unused": [] if classifier is None else _unused(classifier),
        "warnings": [shorten(text, 600) for text in cautions(model)],
        "versions": [
            ["Learned with", _versions_line(getattr(record, "learned_with", None))],
            ["Page written with", _versions_line(versions())],
        ],
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": python_lines(classifier),
        "command": command_line(classifier),
    }


def _versions_line(used: dict[str, str] | None) -> str:
    if used is None:
        return "not recorded"
    return ", ".join(f"{shorten(name, 40)} {shorten(number, 40)}" for name, number in used.items())


def _settings(classifier: Any) -> Iterator[list[str]]:
    for name, value in classifier.get_params(deep=False).items():
        shown = shorten(repr(value), 300)
        part = "structure" if name == "structures" else name
        if part in ("structure", "parameters", "discretizer"):
            used = learner(classifier, part)
            shown = "unknown" if used is None else shorten(repr(used), 300) + " (default)" * (value is None)
        elif value is None and name == "estimator":
            shown = f"{member_of(classifier)!r} (default)"
        yield [name, shown]


def _references(classifier: Any) -> Iterator[list[str]]:
    """Give the paper of the method, and the references that the learners' own documentation gives."""
    method = getattr(getattr(classifier, "training_", None), "method", None)
    if method is not None:
        yield [f"method: {shorten(method)}", method.reference]
    parts = {
        part: learner(classifier, part) for part in ("structure", "parameters", "discretizer", "selector")
    }
    if isinstance(classifier, EnsembleClassifier):
        parts = {"ensemble": classifier, **parts}
    for part, used in parts.items():
        if used is None:
            continue
        text = inspect.getdoc(type(used)) or ""
        found = re.search(r"References\n-+\n(.*?)(?:\n\n\S[^\n]*\n-+\n|\Z)", text, flags=re.DOTALL)
        if found:
            yield [f"{part}: {type(used).__name__}", " ".join(found.group(1).split())]


def _scores(model: Any) -> Iterator[list[str]]:
    networks = networks_of(model)
    record = getattr(model, "training_", None)
    if isinstance(model, NetworkPool):
        yield ["Scores that are averaged", f"{len(model.mixture_.scores)}"]
        yield ["Numbers in tables and forms", f"{model.n_parameters_:,}"]
        yield ["Share of the class frequencies", f"{model.mixture_.caution:.4f}"]
        held_out = model.out_of_sample_
        if held_out is not None:
            yield [f"On {held_out.rows:,} training rows, held out", str(held_out)]
        return
    if isinstance(model, EnsembleClassifier):
        yield ["Networks", f"{len(networks)}"]
    parameters = sum(network.n_parameters for network in networks)
    yield ["Free parameters", f"{parameters:,}"]
    if record is None or record.log_likelihood is None:
        return
    yield ["Log-likelihood of the training data", _signed(record.log_likelihood, 1)]
    yield ["Per row", _signed(record.log_likelihood / max(record.weight, 1), 4)]
    bic = record.log_likelihood - 0.5 * parameters * log(max(record.weight, 1.0))
    yield ["BIC (log-likelihood − ½ parameters · ln rows)", _signed(bic, 1)]


def _signed(value: float, digits: int) -> str:
    """Write a number with a true minus sign, as the page does everywhere."""
    return f"{value:,.{digits}f}".replace("-", "−")


def _data_summary(model: Any) -> Iterator[list[str]]:
    record = getattr(model, "training_", None)
    if record is not None:
        yield ["Training rows", f"{record.rows:,}"]
        if record.weight != record.rows:
            yield ["Total weight", f"{record.weight:,.6g}"]
        yield ["Learned on", record.date]
        incomplete = sum(share > 0 for share in record.missing.values())
        yield ["Features with missing values", f"{incomplete} of {len(record.missing)}"]
    if isinstance(model, NetworkPool):
        features = [model.schema_.features[j] for j in model.schema_.used]
    else:
        target = model.target if isinstance(model, BayesNet) else model.schema_.target.name
        known = {variable.name: variable for network in networks_of(model) for variable in network.variables}
        features = [variable for name, variable in known.items() if name != target]
    numeric = sum(variable.cuts is not None for variable in features)
    several = isinstance(model, EnsembleClassifier | NetworkPool)
    where = f"Features in the network{'s' * several}"
    yield [where, f"{len(features)} ({numeric} numeric, {len(features) - numeric} categorical)"]


def _class_weights(classifier: Any) -> list[list[Any]]:
    states = classifier.schema_.target.states
    weights = classifier.training_.class_weights
    return [[shorten(state), weight] for state, weight in zip(states, weights, strict=True)]


def _unused(classifier: Any) -> list[str]:
    if isinstance(classifier, NetworkPool):
        schema = classifier.schema_
        return [shorten(each.name) for j, each in enumerate(schema.features) if j not in schema.used]
    inside = {name for network in networks_of(classifier) for name in network.nodes}
    return [shorten(variable.name) for variable in classifier.schema_.features if variable.name not in inside]


def learner(classifier: Any, part: str) -> Any:
    """Return a learner that a classifier was fitted with; where that is not known, the one that is set."""
    used = getattr(classifier, f"{part}_", None)
    return _given(classifier, part) if used is None else used


def _given(classifier: Any, part: str) -> Any:
    several = part == "structure" and hasattr(classifier, "structures")
    return classifier.structures if several else getattr(member_of(classifier), part, None)


def member_of(classifier: Any) -> Any:
    """Return a classifier with the settings of each network: itself, or what an ensemble is made of."""
    if not isinstance(classifier, EnsembleClassifier):
        return classifier
    return BayesNetClassifier() if classifier.estimator is None else classifier.estimator


def networks_of(model: Any) -> list[BayesNet]:
    """Return the networks of a fitted model: one, or those of the members; none of a pool, which is their sum."""
    if isinstance(model, BayesNet):
        return [model]
    if isinstance(model, NetworkPool):
        return []
    return [each.network_ for each in getattr(model, "estimators_", [model])]


def search_data(record: TrainingRecord | None) -> dict[str, Any] | None:
    """Return the trace of a search as plain data; None where the model has none."""
    trace = None if record is None else record.search
    if trace is None:
        return None
    return {
        "measure": trace.measure,
        "start": {"arcs": len(trace.start), "score": trace.start_score},
        "steps": [
            [shorten(str(step).replace(" -> ", " → "), LONGEST_STEP), step.score, step.considered]
            for step in trace.steps
        ],
        # Steps that were not kept are missing after this one.
        "gap": {"after": (len(trace.steps) + 1) // 2, "steps": trace.left_out} if trace.left_out else None,
    }


def cautions(model: Any) -> Iterator[str]:
    """Yield a sentence for each thing to be careful about."""
    classifier = None if isinstance(model, BayesNet) else model
    networks = networks_of(model)
    record = getattr(classifier, "training_", None)
    answers = caution_of_answers(model)
    if answers is not None:
        yield answers
    if classifier is not None:
        if record is None:
            yield (
                "The model file holds no record of its training data: rows, classes and missing values are unknown."
            )
        else:
            yield from _about_the_data(record, classifier.schema_.target.states, networks)
        inside = {name for network in networks for name in network.nodes}
        features = classifier.schema_.features
        named, texts = classifier.schema_.left_out
        if named:
            yield f"Left out as identifiers, which say nothing about new rows: {_names(named)}."
        if texts:
            yield f"Left out as free text: {_names(texts)}."
        yield from (f"Column {remark}." for remark in classifier.schema_.remarks[:MOST_REMARKS])
        unused = [v.name for v in features if v.name not in inside and v.dtype != "identifier"]
        if unused and networks:
            yield f"Features left out of the network{'s' * (len(networks) > 1)}: {_names(unused)}."
    if networks:
        yield from _about_the_graph(networks, ensemble=isinstance(model, EnsembleClassifier))


def caution_of_answers(model: Any) -> str | None:
    """Return what to know about the page's own answers, where they are not always those of the classifier.

    A model whose predictor does not say when they are is refused.
    """
    for each in getattr(model, "estimators_", [model]):
        predictor = getattr(each, "_predictor", None)
        if predictor is None or predictor is each.network_:
            continue
        if not hasattr(predictor, "caution"):
            raise ValueError(
                "The model page answers from the network, so its answers would differ from this model's: this model "
                f"{how_it_predicts(predictor)}."
            )
        if predictor.caution is None:  # the page has all that it answers by
            continue
        return f"{predictor.caution} The figures are those of the classifier; What if and Why answer by the network."
    return None


def _about_the_data(
    record: TrainingRecord, classes: Iterable[object], networks: list[BayesNet]
) -> Iterator[str]:
    rare = [(s, w) for s, w in zip(classes, record.class_weights, strict=True) if w < RARE_CLASS]
    if rare:
        shown = _listed(f"{shorten(state, 40)} ({weight:g})" for state, weight in rare)
        yield f"Few training rows for {shown}: too few for reliable probabilities."
    if record.unseen:
        cells = dict(sorted(record.unseen.items(), key=lambda item: -item[1]))
        shown = _listed(
            f"{shorten(name, 40)} ({n:,} of {_rows(networks[0], name):,})" for name, n in cells.items()
        )
        yield f"Parent configurations without a training row: {shown}. Their probabilities come from smoothing."
    sparse = [name for name, share in record.missing.items() if share > OFTEN_MISSING]
    if sparse:
        yield f"More than half the values are missing: {_names(sparse)}."


def _about_the_graph(networks: list[BayesNet], *, ensemble: bool) -> Iterator[str]:
    known = {variable.name: variable for network in networks for variable in network.variables}
    constant = [name for name, variable in known.items() if variable.arity == 1]
    if constant:
        yield f"Features with a single state, which carry no information: {_names(constant)}."
    target = networks[0].target
    if target is None:
        return
    blanket = {target}.union(*(network.markov_blanket(target) for network in networks))
    outside = [name for name in known if name not in blanket]
    if outside:
        whose = "of every network's class" if ensemble else "of the class"
        yield (
            f"Outside the Markov blanket {whose}, so without influence once the others are known: "
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


def command_line(classifier: Any) -> str | None:
    """Return the call of ``bayleaf fit`` that learned this model; put in the names of your files."""
    options = getattr(getattr(classifier, "training_", None), "command", None)
    if options is None:
        return None
    line = shlex.join(["bayleaf", "fit", "data.csv", *options, "-o", "model.bayleaf.json"])
    return line if len(line) <= MOST_CHARACTERS else None


def python_lines(classifier: Any) -> str:
    """Return the lines of Python that learn the same model; comments say what they cannot repeat."""
    if classifier is None:
        return 'import bayleaf as bl\n\nnet = bl.load_network("network.json")\n'
    made, notes = _spelled_for_a_file(classifier)
    target = classifier.schema_.target.name
    lines = [
        "import bayleaf as bl",
        "from bayleaf.tables import read_data",
        "",
        *(f"# Not repeated here: {note}" for note in (*_not_repeated(classifier), *notes)),
        f"data = read_data({', '.join(_reading(classifier))})",
        f"clf = {made}",
        f"clf.fit({_features(classifier)}, data[{target!r}])",
        'clf.save("model.bayleaf.json")',
        "",
    ]
    text = "\n".join(lines)
    if len(text) > MOST_CHARACTERS:
        return (
            f"# The lines would take {len(text):,} characters: names or settings are too long for a page.\n"
        )
    return text


def _not_repeated(classifier: Any) -> Iterator[str]:
    """Say what the lines cannot repeat, apart from settings."""
    if "bins" in _table_read(classifier):
        yield f"the class was cut into {_table_read(classifier)['bins']} classes (--bins)."
    record = getattr(classifier, "training_", None)
    if record is not None and record.weight != record.rows:
        yield f"the rows had weights, {record.weight:,.6g} in all; pass them to fit as sample_weight."
    if getattr(classifier, "random_state", 0) is None:
        if isinstance(classifier, BaggedClassifier):
            yield "no random_state was set, so other samples of rows will be drawn."
        elif getattr(learner(classifier, "structure"), "draws", False):
            yield "no random_state was set, so other networks will be drawn."


def _spelled_for_a_file(classifier: Any) -> tuple[str, list[str]]:
    """Spell the classifier, and say which settings code can only refer to.

    Numeric columns that were categories by their type are named: a file lacks the type.
    """
    member, numbers = member_of(classifier), _number_categories(classifier)
    settings = _changed_learners(classifier)
    several = {"structures": settings.pop("structures")} if "structures" in settings else {}
    if numbers and isinstance(member.categorical_features, str):
        settings["categorical_features"] = numbers
    if settings or several:
        named = clone(member).set_params(**settings)
        classifier = (
            named if member is classifier else clone(classifier).set_params(estimator=named, **several)
        )
    words, notes = [], []
    for name, value in own_settings(classifier).items():
        try:
            words.append(f"{name}={spelled(value)}")
        except NoSpellingError as error:
            what = shorten(" ".join(str(error).split()), 200)
            notes.append(f"{name} has {what}; put your own in its place.")
    return f"bl.{type(classifier).__name__}({', '.join(words)})", notes


def _changed_learners(classifier: Any) -> dict[str, Any]:
    """Return the learners that were used and are not those set now, as settings may change after fit."""
    if isinstance(classifier, NetworkPool):
        return {}
    changed = {}
    for part in ("structure", "parameters", "discretizer"):
        used, given = learner(classifier, part), _given(classifier, part)
        name = "structures" if part == "structure" and hasattr(classifier, "structures") else part
        default = default_structure() if name == "structure" else None
        now = default if given is None else given
        if now is not None and written(used) != written(now):
            changed[name] = used
    return changed


def _number_categories(classifier: Any) -> list[str]:
    """Columns of numbers, or of texts that are numbers, that were taken as categories."""
    return [
        variable.name
        for variable in classifier.schema_.features
        if variable.cuts is None and (variable.dtype in ("integer", "float") or _is_number_text(variable))
    ]


def _is_number_text(variable: Variable) -> bool:
    texts = [str(state) for state in variable.value_states]
    return variable.dtype == "string" and find_numbers(texts).values is not None


def _table_read(classifier: Any) -> dict[str, Any]:
    """How the command line read the table, where it did."""
    return getattr(getattr(classifier, "training_", None), "table_read", None) or {}


def _reading(classifier: Any) -> Iterator[str]:
    """Arguments of `read_data`: such that text stays text, and values stay values."""
    read = _table_read(classifier)
    texts = [variable for variable in classifier.schema_.variables if variable.dtype == "string"]
    yield '"data.csv"'
    for name in ("delimiter", "decimal", "encoding", "header", "sheet"):
        if read.get(name) is not None:
            yield f"{name}={read[name]!r}"
    if read.get("missing_values") is not None:
        yield f"missing_values={list(read['missing_values'])!r}"
    elif any(not {*MISSING_VALUES}.isdisjoint(variable.value_states) for variable in texts):
        yield "missing_values=[]"
    text = [variable.name for variable in texts if _looks_otherwise(variable, read)]
    if text:
        yield f"as_text={text!r}"


def _looks_otherwise(variable: Variable, read: dict[str, Any]) -> bool:
    """Whether all labels are text that a file, read like that, would be taken to have numbers or booleans in."""
    commas = read.get("decimal") in (",", "comma") or (
        read.get("decimal") is None and read.get("delimiter") in (None, ";", "semicolon")
    )
    labels = [str(state) for state in variable.value_states]
    numbers = all(_is_number(label.replace(",", "." if commas else ",")) for label in labels)
    return numbers or {label.lower() for label in labels} <= {"true", "false"}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _features(classifier: Any) -> str:
    """Code for the columns that were learned from."""
    target, read = classifier.schema_.target.name, _table_read(classifier)
    if "drop" in read or not hasattr(classifier, "feature_names_in_"):
        return f"data.drop({', '.join(map(repr, (target, *read.get('drop', ()))))})"
    return f"data.select({[variable.name for variable in classifier.schema_.columns]!r})"
