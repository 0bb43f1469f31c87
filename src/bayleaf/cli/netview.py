"""A network as a tree of text: every node once, below one of its parents, the other parents named beside it."""

from rich.text import Text

from bayleaf.network import BayesNet
from bayleaf.table import Variable

from .output import ACCENT, CLASS_STYLE, listing

MOST_CUTS = 4


def tree_lines(network: BayesNet) -> list[Text]:
    """One line per node, the class first.

    Examples
    --------
    >>> from bayleaf import DAG
    >>> graph = DAG(["rain", "wind", "mood"], [("mood", "rain"), ("mood", "wind"), ("rain", "wind")])
    >>> rain, wind = Variable("rain", ("no", "yes")), Variable.numeric("wind", [3.5])
    >>> variables = [rain, wind, Variable("mood", ("bad", "good"))]
    >>> tables = [[[0.9, 0.1]] * 2, [[[0.2, 0.8]] * 2] * 2, [0.5, 0.5]]
    >>> for line in tree_lines(BayesNet(variables, graph, tables, target="mood")):
    ...     print(line.plain)
    ◆ mood  bad, good
    └ rain  no, yes
      └ wind  cut at 3.5
    """
    below: dict[str | None, list[str]] = {None: []}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    roots = sorted(below[None], key=lambda name: name != network.target)
    lines: list[Text] = []
    for root in roots:
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
    return f"cut at {listing([f'{cut:.4g}' for cut in variable.cuts], most=MOST_CUTS)}"


def _other_parents(network: BayesNet, name: str) -> str:
    """Name the parents that the tree does not show; in a classifier, the class is understood to be one."""
    target, shown = network.target, anchor(network, name)
    class_is_root = target is not None and not network.parents(target)
    others = [p for p in network.parents(name) if p != shown and not (class_is_root and p == target)]
    text = f"  and from {listing(others)}" if others else ""
    if class_is_root and name != target and target not in network.parents(name):
        text += f"  not from {target}"
    return text
