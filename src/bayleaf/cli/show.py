"""``bayleaf show``: the network of a model as a tree, and its tables."""

from collections.abc import Sequence
from itertools import product
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

import bayleaf
from bayleaf._util.words import counted, listing, short
from bayleaf.classify.base import nothing_learned
from bayleaf.data.schema import states_text
from bayleaf.models.settings import own_settings
from bayleaf.network import BayesNet
from bayleaf.page.page_text import learner

from . import options
from .inputs import costs_of, only_network, read_model_or_network, suggestion
from .output import ACCENT, CLASS_STYLE, facts, light_table, out, probability, shown
from .views import search_of, search_text, steps_table, tree_lines

NAME = "show"
EXAMPLE = 'bayleaf show iris.bayleaf.json --node "petal width"'
MOST_ROWS, MOST_NODES, MOST_COSTS = 16, 60, 12
MOST_STATES, WIDE_STATES = 6, 10  # columns on a narrow and on a wide terminal


def run(
    model: options.NetworkFile,
    node: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Show the table of this node; may be repeated.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Show the steps of the structure learner.")
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Abbreviate nothing, and show every table.")
    ] = False,
) -> None:
    """Show the network of a model: as a tree, or the tables of some of its nodes."""
    found = read_model_or_network(model)
    if not (node or search or isinstance(found, BayesNet | bayleaf.BayesNetClassifier)):
        out().print(Text(str(model), style="bold"), soft_wrap=True)
        out().print(facts(several_overview(found)))
        return
    network = only_network(found)
    for name in node or ():
        if name not in network.nodes:
            raise ValueError(f"The network has no node '{name}'. {suggestion(name, network.nodes)}")
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
    shown(
        console,
        probability_table(network, name, most_rows=None if show_all else MOST_ROWS, most_states=most),
    )


def overview(found: Any, network: BayesNet) -> dict[str, Any]:
    """Say what the file holds, in a few lines."""
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
        costs = costs_of(found)
        if costs is not None:
            lines["Decides by"] = costs_text(costs, found.classes_.tolist())
        trace = search_of(found)
        if trace is not None:
            lines["Search"] = search_text(trace)
        identifiers = [v.name for v in found.schema_.features if v.dtype == "identifier"]
        if identifiers:
            lines["Left out"] = f"{listing(identifiers)} (identifiers)"
        unused = [v.name for v in found.schema_.features if v.name not in (*network.nodes, *identifiers)]
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
    """List the settings that are not the usual ones, those aside that other lines tell or that change nothing."""
    told = {"structure", "structures", "parameters", "discretizer", "estimator", "loss", "n_jobs"}
    given = {name: value for name, value in own_settings(found).items() if name not in told}
    texts = [f"{name}={short(' '.join(repr(value).split()))}" for name, value in given.items()]
    return {"Settings": ", ".join(texts)} if texts else {}


def costs_text(costs: Any, labels: Sequence[object]) -> str:
    """List what mistakes cost, as far as there is room.

    Examples
    --------
    >>> costs_text([[0, 1], [9.5, 0]], ["no", "yes"])
    'smallest expected cost (loss): no predicted as yes: 1, yes predicted as no: 9.5'
    """
    mistakes = [
        f"{truth} predicted as {decision}: {cost:g}"
        for truth, row in zip(labels, costs, strict=True)
        for decision, cost in zip(labels, row, strict=True)
        if decision != truth or cost
    ]
    return f"smallest expected cost (loss): {listing(mistakes, MOST_COSTS)}"


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
