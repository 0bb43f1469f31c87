"""``bayleaf show``: the network of a model as a tree, and its tables."""

from itertools import product
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

import bayleaf
from bayleaf._util.words import counted, listing, short
from bayleaf.classify.record import nothing_learned
from bayleaf.data import Variable
from bayleaf.data.schema import states_text
from bayleaf.data.variable import styled
from bayleaf.learn.search import SearchTrace
from bayleaf.models.settings import own_settings
from bayleaf.network import BayesNet
from bayleaf.network.decisions import costs_in_words
from bayleaf.page.learned import learner

from . import options
from .inputs import check_node, only_network, read_model_or_network
from .output import ACCENT, CLASS_STYLE, facts, light_table, out, probability, shown

EXAMPLE = 'bayleaf show iris.bayleaf.json --node "petal width"'
MOST_ROWS, MOST_NODES, MOST_CUTS = 16, 60, 4
MOST_STATES, WIDE_STATES = 6, 10  # columns on a narrow and on a wide terminal


def run(
    model: options.NetworkFile,
    node: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Show the table of this node; may be repeated.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Show the steps of the structure learner.")
    ] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Show every table, without abbreviations.")] = False,
) -> None:
    """Show the network of a model: as a tree, or the tables of some of its nodes."""
    found = read_model_or_network(model)
    if not (node or search or isinstance(found, BayesNet | bayleaf.BayesNetClassifier)):
        out().print(Text(str(model), style="bold"), soft_wrap=True)
        out().print(facts(several_overview(found)))
        return
    network = only_network(found)
    for name in node or ():
        check_node(network, name)
    console = out()
    if not node:
        console.print(Text(str(model), style="bold"), soft_wrap=True)
        console.print(facts(overview(found, network)))
        console.print()
    if search:
        trace = search_of(found)
        if trace is None:
            raise ValueError(
                f"'{model}' holds no search: its graph was given, or the learner keeps no steps."
            )
        shown(console, steps_table(trace, most=len(trace.steps) if show_all else MOST_ROWS))
        return
    if not node:
        _show_tree(console, network, show_all)
    default = network.nodes if show_all else ([network.target] if network.target else [])
    for name in node or default:
        _show_node(console, network, name, show_all)


def _show_tree(console: Console, network: BayesNet, show_all: bool) -> None:
    lines = tree_lines(network)
    most = len(lines) if show_all else MOST_NODES
    for line in lines[:most]:
        console.print(line, no_wrap=True, overflow="ellipsis")
    if len(lines) > most:
        console.print(f"... and {counted(len(lines) - most, 'more node')}; --all shows them.", style="dim")


def _show_node(console: Console, network: BayesNet, name: str, show_all: bool) -> None:
    console.print()
    console.print(Text.assemble((name, CLASS_STYLE if name == network.target else ACCENT)))
    console.print(facts(node_facts(network, name)))
    console.print()
    few = MOST_STATES if console.width < 100 else WIDE_STATES
    most = network.variable(name).arity if show_all else few
    rows = None if show_all else MOST_ROWS
    shown(console, probability_table(network, name, most_rows=rows, most_states=most))


def overview(found: Any, network: BayesNet) -> dict[str, Any]:
    """Summarise what the file holds in a few lines."""
    lines: dict[str, Any] = {}
    if network.target is not None:
        states = network.variable(network.target).states
        lines["Class"] = Text.assemble((network.target, CLASS_STYLE), f": {listing(states)}")
    size = f"{counted(len(network.nodes), 'node')}, {counted(len(network.arcs), 'arc')}"
    lines["Network"] = f"{size}, {counted(network.n_parameters, 'parameter')}"
    if not isinstance(found, BayesNet):
        learners = []
        for part in ("structure", "parameters", "discretizer"):
            given, used = getattr(found, part), learner(found, part)
            learners += [] if used is None else [f"{part}={used!r}{' by default' if given is None else ''}"]
        lines["Learned by"] = ", ".join(learners)
        lines |= provenance(found)
        costs = found._costs()
        if costs is not None:
            said = costs_in_words(costs, found.classes_.tolist())
            lines["Decides by"] = f"smallest expected cost (loss): {said}"
        trace = search_of(found)
        if trace is not None:
            lines["Search"] = search_text(trace)
        identifiers, texts = found.schema_.left_out
        if identifiers:
            lines["Left out"] = f"{listing(identifiers)} (identifiers)"
        if texts:
            lines["Texts left out"] = listing(texts)
        features = found.schema_.features
        unused = [v.name for v in features if v.name not in network.nodes and v.dtype != "identifier"]
        if unused:
            lines["Not used"] = listing(unused)
        nothing = nothing_learned(found)
        if nothing is not None:
            lines["Please note"] = Text(nothing, style="yellow")
    return lines


def several_overview(found: Any) -> dict[str, Any]:
    """Say what the file of a model of many networks holds; these are shown by 'bayleaf report'."""
    target = found.schema_.target
    lines: dict[str, Any] = {
        "Class": Text.assemble((target.name, CLASS_STYLE), f": {listing(target.states)}")
    }
    networks = getattr(found, "estimators_", None)
    if networks is not None:
        lines["Networks"] = f"{len(networks):,}, which 'bayleaf report' shows"
    lines["Learned by"] = str(found.published_method or " ".join(repr(found).split()))
    return lines | provenance(found)


def provenance(found: Any) -> dict[str, Any]:
    """Say who made a model when, and from what; nothing of what its file does not tell."""
    record = getattr(found, "training_", None)
    if record is None:
        return {}
    by = "" if record.made_by is None else f" by {short(record.made_by)}"
    versions = record.learned_with or {}
    using = ", ".join(f"{name} {versions[name]}" for name in ("bayleaf", "Python") if name in versions)
    columns = [variable.name for variable in found.schema_.columns]
    return {
        "Made": f"{record.date}{by}{f' with {using}' if using else ''}",
        "From": f"{counted(record.rows, 'row')}, {counted(len(columns), 'column')}: {listing(columns)}",
        **({} if record.min_count is None else {"Pooled": f"what fewer than {record.min_count} rows say"}),
    } | _other_settings(found)


def _other_settings(found: Any) -> dict[str, str]:
    """List the settings that differ from the defaults, without those of other lines and those that change nothing."""
    told = {"structure", "structures", "parameters", "discretizer", "estimator", "loss", "n_jobs"}
    given = {name: value for name, value in own_settings(found).items() if name not in told}
    texts = [f"{name}={short(' '.join(repr(value).split()))}" for name, value in given.items()]
    return {"Settings": ", ".join(texts)} if texts else {}


def node_facts(network: BayesNet, name: str) -> dict[str, Any]:
    """Where a node stands, and what its states are."""
    variable = network.variable(name)
    lines: dict[str, Any] = {"States": states_text(variable)}
    if network.parents(name):
        lines["Parents"] = ", ".join(network.parents(name))
    if network.children(name):
        lines["Children"] = listing(network.children(name))
    return lines


def probability_table(network: BayesNet, name: str, *, most_rows: int | None, most_states: int) -> Any:
    """Tabulate P(node | parents): a line per configuration of the parents, a column per state."""
    parents, variable = network.parents(name), network.variable(name)
    rows = network.cpt(name).reshape(-1, variable.arity)
    states = variable.states[:most_states]
    most = len(rows) if most_rows is None else most_rows
    given = f" | {', '.join(parents)}" if parents else ""
    table = light_table(caption=_left_out(len(rows) - most, variable.arity - len(states)))
    for parent in parents:
        table.add_column(parent, style="dim", overflow="fold")
    for state in states:
        table.add_column(Text(str(state)), justify="right", overflow="fold", min_width=6)
    table.title = f"P({name}{given})"
    configurations = product(*(network.variable(parent).states for parent in parents))
    for configuration, row in zip(configurations, rows[:most], strict=False):
        cells = [
            Text(probability(float(value)), style="bold" if value == row.max() else "")
            for value in row[: len(states)]
        ]
        table.add_row(*(Text(str(state)) for state in configuration), *cells)
    return table


def _left_out(rows: int, states: int) -> str | None:
    parts = [counted(rows, "more line")] * (rows > 0) + [counted(states, "more state")] * (states > 0)
    return f"... {' and '.join(parts)}; --all shows them." if parts else None


def tree_lines(network: BayesNet) -> list[Text]:
    """One line per node, the class first, each below and right of the parent that it is shown with."""
    below: dict[str | None, list[str]] = {None: []}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    lines: list[Text] = []
    for root in sorted(below[None], key=lambda name: name != network.target):
        lines.append(_label(network, root))
        _grow(network, below, root, "", lines)
    return lines


def anchor(network: BayesNet, name: str) -> str | None:
    """Return the parent below which a node is shown: another feature rather than the class; None for a root."""
    parents = network.parents(name)
    features = [parent for parent in parents if parent != network.target]
    return (features or list(parents) or [None])[0]  # type: ignore[list-item]


def _grow(
    network: BayesNet, below: dict[str | None, list[str]], node: str, indent: str, lines: list[Text]
) -> None:
    children = below.get(node, [])
    for child in children:
        last = child == children[-1]
        lines.append(Text.assemble((indent + ("└ " if last else "├ "), "dim"), _label(network, child)))
        _grow(network, below, child, indent + ("  " if last else "│ "), lines)


def _label(network: BayesNet, name: str) -> Text:
    is_class = name == network.target
    return Text.assemble(
        (f"◆ {name}" if is_class else name, CLASS_STYLE if is_class else ACCENT),
        (f"  {_states(network.variable(name))}", "dim"),
        (_other_parents(network, name), "yellow"),
    )


def _states(variable: Variable) -> str:
    if variable.arity == 1:
        return "constant"
    if variable.cuts is None:
        return listing(variable.states, most=4)
    gap = "missing or " if variable.gap else ""
    if not variable.cuts:
        return f"{gap}any number"
    return f"{gap}cut at {listing([styled(text, variable.reading) for text in variable.cut_texts], most=MOST_CUTS)}"


def _other_parents(network: BayesNet, name: str) -> str:
    """Name the parents that the tree does not show; in a classifier every feature has the class unless noted."""
    target, shown = network.target, anchor(network, name)
    class_is_root = target is not None and not network.parents(target)
    others = [p for p in network.parents(name) if p != shown and not (class_is_root and p == target)]
    text = f"  and from {listing(others)}" if others else ""
    if class_is_root and name != target and target not in network.parents(name):
        text += f"  not from {target}"
    return text


def search_of(model: Any) -> SearchTrace | None:
    """Return the steps that a model file keeps, if it does."""
    record = getattr(model, "training_", None)
    return None if record is None else record.search


def search_text(search: SearchTrace) -> str:
    """Tell in a line where a search began, how many steps it made and what it ended with."""
    steps = counted(len(search.steps) + search.left_out, "step")
    return f"{steps}: {search.measure} from {search.start_score:.6g} to {search.score:.6g}"


def steps_table(search: SearchTrace, most: int) -> Any:
    """Tabulate the steps of a search: what was done, out of how many, and the score after it."""
    half = search.left_out and (len(search.steps) + 1) // 2
    numbered = [
        (k + 1 + (search.left_out if half and k >= half else 0), s) for k, s in enumerate(search.steps)
    ]
    more = len(numbered) + search.left_out - min(most, len(numbered))
    table = light_table(
        caption=f"... {counted(more, 'more step')}; --all shows those kept." if more else None
    )
    table.title = f"Search: {search.measure}"
    counts = any(step.considered is not None for step in search.steps)
    table.add_column("", justify="right", style="dim")
    table.add_column("step", overflow="fold")
    if counts:
        table.add_column("weighed", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    start = f"start with {counted(len(search.start), 'arc')}"
    table.add_row("0", start, *[""] * counts, f"{search.start_score:.6g}")
    for number, step in numbered[:most]:
        considered = "" if step.considered is None else f"{step.considered:,}"
        table.add_row(str(number), Text(str(step)), *[considered] * counts, f"{step.score:.6g}")
    return table
