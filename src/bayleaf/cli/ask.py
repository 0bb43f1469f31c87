"""``bayleaf ask``: questions to a network."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from bayleaf import BayesNetClassifier
from bayleaf._util.words import counted, listing, split_names
from bayleaf.data import Table, Variable
from bayleaf.data.categories import encode_column
from bayleaf.data.dates import MOMENTS
from bayleaf.data.numbers import encode_part, without_marks
from bayleaf.data.raw_columns import object_column
from bayleaf.data.variable import state_texts
from bayleaf.explain.known import Known
from bayleaf.network import BayesNet, MostProbable
from bayleaf.tables.table_files import label_text

from . import options
from .inputs import check_node, read_asked, suggestion
from .output import ACCENT, light_table, out, probability, shown

EXAMPLE = 'bayleaf ask asia.bif lung bronc --given "smoke=yes, xray=yes"'
MOST_STATES, BAR = 200, 20


def run(
    model: options.NetworkFile,
    query: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NODE]...",
            help="Nodes asked for; by default the class of a model, or all nodes of a network.",
            show_default=False,
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATES", help='What is known: "a=x, b=y"; numbers and dates as in the data: "rate=25%".'
        ),
    ] = None,
    soft: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WEIGHTS",
            help='Uncertain evidence, with a weight for every state: "a: x=3, y=1"; may be repeated.',
        ),
    ] = None,
    do: Annotated[
        list[str] | None,
        typer.Option(
            "--do", metavar="STATES", help='Intervene first: set nodes, and remove the arcs into them: "a=x".'
        ),
    ] = None,
    joint: Annotated[bool, typer.Option("--joint", help="The joint distribution of the nodes.")] = False,
    mpe: Annotated[
        bool, typer.Option("--mpe", help="The most probable joint state of all unobserved nodes.")
    ] = False,
    maximum: Annotated[
        bool, typer.Option("--map", help="The most probable joint state of the nodes asked for.")
    ] = False,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw N rows given the evidence, as CSV.")
    ] = None,
    approximate: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Estimate from N weighted rows, if the exact answer is too expensive."
        ),
    ] = None,
    seed: options.Seed = 0,
    as_json: options.PrintJson = False,
) -> None:
    """Ask a network: posteriors given evidence, explanations, interventions, rows drawn given evidence."""
    if sum([joint, mpe, maximum, sample is not None]) > 1:
        raise ValueError("Ask for one thing at a time: --joint, --mpe, --map or --sample.")
    network, classifier = read_asked(model)
    names = query or []
    for name in names:
        check_node(network, name)
    if do:
        classifier = None  # what is set from outside is a question to the network
        network = network.do(states_of(network, do))
    known, weights = states_of(network, given or ()), weights_of(network, soft or ())
    if sample is not None:
        frame = network.sample(sample, seed, evidence=known, soft=weights)
        chosen = frame.select(names) if names else frame
        typer.echo(json.dumps(chosen.to_dicts()) if as_json else chosen.write_csv().rstrip("\n"))
        return
    estimate = {} if approximate is None else {"approximate": approximate, "random_state": seed}
    if mpe or maximum:
        if estimate:
            raise ValueError("--mpe and --map are exact: leave --approximate out.")
        found = network.mpe(known, soft=weights) if mpe else network.map(names, known, soft=weights)
        _show_states(network, found, as_json)
        return
    if joint:
        table = network.joint_posterior(names, known, soft=weights, **estimate)
        _show_joint(network, names, table, as_json)
        return
    answers = _posteriors(network, names, known, weights, estimate)
    how_much = None
    if classifier is not None and network.target in answers and not weights and not estimate:
        answers[network.target], how_much = _class_answer(classifier, known)
    log_evidence = None if estimate else network.log_evidence(known, soft=weights)
    _show_posteriors(network, answers, log_evidence if known or weights else None, how_much, as_json)


def _posteriors(
    network: BayesNet,
    names: Sequence[str],
    known: Mapping[str, Any],
    weights: Mapping[str, Any],
    estimate: Any,
) -> dict[str, dict[Any, float]]:
    if not names and network.target is not None and network.target not in known:
        names = [network.target]
    if len(names) == 1:
        return {names[0]: network.posterior(names[0], known, soft=weights, **estimate)}
    if both := [name for name in names if name in known]:
        raise ValueError(f"'{both[0]}' is both the query and evidence: remove it from one of the two.")
    found = network.posteriors(known, soft=weights, **estimate)
    return {name: found[name] for name in names} if names else found


def _class_answer(classifier: BayesNetClassifier, known: Mapping[str, Any]) -> tuple[dict[Any, float], Known]:
    """Return the class probabilities as the model predicts them from some states, and how much is known."""
    network = classifier.network_
    features = network.variables[:-1]
    codes = [[each.code(known[each.name]) if each.name in known else -1 for each in features]]
    row = Table.from_codes(features, codes)
    probabilities = classifier._member.answer(row)[0].tolist()
    how_much = Known.of(row, classifier._told_by_features)
    return dict(zip(network.variables[-1].states, probabilities, strict=True)), how_much


def split_at_node(network: BayesNet, text: str, mark: str) -> tuple[Variable, str]:
    """Split a text after the name of a node, which may itself hold the mark.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> net = BayesNet([Variable("a=b", ("0", "1"))], DAG(["a=b"]), [[0.5, 0.5]])
    >>> split_at_node(net, "a=b = 1", "=")[1]
    '1'
    """
    places = [place for place, letter in enumerate(text) if letter == mark]
    for place in reversed(places):
        name = text[:place].strip()
        if name in network.nodes:
            return network.variable(name), text[place + 1 :].strip()
    if not places:
        raise ValueError(f"'{text}' is not of the form name{mark}...")
    name = text[: places[0]].strip()
    raise ValueError(f"The network has no node '{name}'. {suggestion(name, network.nodes)}")


def state_of(variable: Variable, text: str) -> Any:
    """Return the state that a text means: its name, or a value that is read as in a file; None for a missing one."""
    for state, words in zip(variable.states, state_texts(variable), strict=True):
        if text in (label_text(state), str(state), words):
            return state
    column = without_marks(variable, object_column(variable.name, [text]))
    try:
        code = int(encode_column(variable, column, "error")[0])
    except (TypeError, ValueError):
        states = listing([label_text(state) for state in variable.states])
        how = "" if variable.reading is None else f"; numbers are read with {variable.reading}"
        raise ValueError(f"'{variable.name}' has no state '{text}'; its states are {states}{how}.") from None
    return None if code < 0 else variable.states[code]


def states_of(network: BayesNet, texts: Sequence[str]) -> dict[str, Any]:
    """Read texts such as ``a=x, b=y``; a question mark leaves a node unknown."""
    found: dict[str, Any] = {}
    parts: dict[str, Any] = {}  # of dates, unless they are named themselves
    for item in [each for text in texts for each in split_names(text)]:
        variable, text = split_at_node(network, item, "=")
        if variable.name in found:
            raise ValueError(f"The evidence names '{variable.name}' twice.")
        found[variable.name] = None if text == "?" else state_of(variable, text)
        if variable.dtype in MOMENTS and found[variable.name] is not None:
            made = ((part, _part_of(part, variable, text)) for part in network.variables)
            parts |= {part.name: state for part, state in made if state is not None}
    return {name: state for name, state in (parts | found).items() if state is not None}


def _part_of(part: Variable, source: Variable, text: str) -> Any:
    """Return the weekday, month or hour of the date that a text is, as a file with this date has it."""
    if part.source != source.name or text in source.states:
        return None
    code = int(encode_part(part, source, object_column(source.name, [text]))[0])
    return None if code < 0 else part.states[code]


def weights_of(network: BayesNet, texts: Sequence[str]) -> dict[str, dict[Any, float]]:
    """Read texts such as ``a: x=3, y=1``."""
    found: dict[str, dict[Any, float]] = {}
    for each in texts:
        variable, rest = split_at_node(network, each, ":")
        found[variable.name] = {}
        for item in split_names(rest):
            label, _, weight = item.rpartition("=")
            try:
                number = float(weight)
            except ValueError:
                raise ValueError(f"The weight in '{item}' of --soft is not a number.") from None
            found[variable.name][state_of(variable, label.strip())] = number
    return found


def _json(content: Mapping[str, Any]) -> None:
    typer.echo(json.dumps(content, indent=1, ensure_ascii=False))


def _words(variable: Variable, state: Any) -> str:
    """Write a state for people: intervals in words, which `state_of` reads as well."""
    return label_text(state) if variable.cuts is None else state_texts(variable)[variable.states.index(state)]


def _show_posteriors(
    network: BayesNet,
    answers: Mapping[str, Mapping[Any, float]],
    log_evidence: float | None,
    how_much: Known | None,
    as_json: bool,
) -> None:
    if as_json:
        texts = {name: {label_text(state): p for state, p in each.items()} for name, each in answers.items()}
        extra: dict[str, Any] = {} if log_evidence is None else {"log_evidence": log_evidence}
        if how_much is not None:
            share = None if how_much.information is None else float(how_much.information[0])
            extra["known"] = {
                "values": int(how_much.values[0]),
                "features": how_much.features,
                "information": share,
            }
        _json({"posteriors": texts, **extra})
        return
    table = light_table(words=("node", "state"), numbers=("probability",))
    table.add_column("", no_wrap=True)
    for name, distribution in answers.items():
        first, variable = name, network.variable(name)
        for state, p in list(distribution.items())[:MOST_STATES]:
            bar = "█" * round(BAR * p)
            table.add_row(Text(first, style=ACCENT), Text(_words(variable, state)), probability(p), bar)
            first = ""
        if len(distribution) > MOST_STATES:
            table.add_row("", f"... {counted(len(distribution) - MOST_STATES, 'more state')}", "", "")
    console = out()
    shown(console, table)
    if log_evidence is not None:
        console.print(f"  P(evidence) = {math.exp(log_evidence):.4g}", style="dim")
    if how_much is not None and (text := how_much.sentence(0)):
        console.print(Padding(Text(text, style="dim"), (0, 0, 0, 2)))


def _show_states(network: BayesNet, found: MostProbable, as_json: bool) -> None:
    texts = {name: label_text(state) for name, state in found.states.items()}
    if as_json:
        _json({"states": texts, "probability": found.probability})
        return
    table = light_table(words=("node", "state"))
    for name, state in found.states.items():
        table.add_row(Text(name, style=ACCENT), Text(_words(network.variable(name), state)))
    console = out()
    shown(console, table)
    console.print(f"  Probability of all together given the evidence: {found.probability:.4g}", style="dim")


def _show_joint(
    network: BayesNet, names: Sequence[str], joint: Mapping[tuple[Any, ...], float], as_json: bool
) -> None:
    lines = [([label_text(state) for state in states], p) for states, p in joint.items()]
    if as_json:
        _json({"nodes": list(names), "joint": [{"states": states, "probability": p} for states, p in lines]})
        return
    table = light_table(words=names, numbers=("probability",))
    variables = [network.variable(name) for name in names]
    for states, p in list(joint.items())[:MOST_STATES]:
        words = [_words(variable, state) for variable, state in zip(variables, states, strict=True)]
        table.add_row(*map(Text, words), probability(p))
    console = out()
    shown(console, table)
    if len(lines) > MOST_STATES:
        more = counted(len(lines) - MOST_STATES, "more line")
        console.print(f"  ... and {more}; --json has all.", style="dim")
