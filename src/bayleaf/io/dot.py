"""Networks as drawings: the DOT language of Graphviz."""

from collections.abc import Mapping

from bayleaf.network import BayesNet


def to_dot(network: BayesNet, strengths: Mapping[tuple[str, str], float] | None = None) -> str:
    """Return the graph of a network in the DOT language; the class stands out.

    Parameters
    ----------
    network : BayesNet
    strengths : mapping from (parent, child) to number, optional
        Stronger arcs are drawn thicker.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> net = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]], "a")
    >>> print(to_dot(net))
    digraph {
      node [shape=box, style=rounded];
      "a" [style="rounded,filled", fillcolor="#1d7a4f", fontcolor=white];
      "b";
      "a" -> "b";
    }
    """
    given = strengths or {}
    strongest = max(given.values(), default=0.0) or 1.0
    lines = ["digraph {", "  node [shape=box, style=rounded];"]
    for name in network.nodes:
        look = (
            ' [style="rounded,filled", fillcolor="#1d7a4f", fontcolor=white]'
            if name == network.target
            else ""
        )
        lines.append(f"  {_quoted(name)}{look};")
    for parent, child in network.arcs:
        strength = given.get((parent, child))
        look = "" if strength is None else f" [penwidth={0.8 + 4.2 * (strength / strongest) ** 0.5:.2f}]"
        lines.append(f"  {_quoted(parent)} -> {_quoted(child)}{look};")
    return "\n".join([*lines, "}"])


def _quoted(name: str) -> str:
    text = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\0", "")
    return f'"{text}"'


__all__ = ["to_dot"]
