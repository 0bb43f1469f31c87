"""Names and states that every reader of every format takes."""

import re
from collections.abc import Sequence

from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

_INTERVAL = re.compile(r"\((\S+), (\S+)[\])]")


def with_plain_names(network: BayesNet) -> BayesNet:
    """Return the network with plain words for names and states: for readers that stumble over anything else.

    Letters, digits, ``_``, ``.`` and ``-``, a letter first. Intervals become ``le_0.8``, ``gt_0.8_le_1.75`` and
    ``gt_1.75``. No cut points are kept.

    Examples
    --------
    >>> net = BayesNet([Variable.numeric("petal width", [0.8, 1.75])], DAG(["petal width"]), [[0.3, 0.4, 0.3]])
    >>> with_plain_names(net).variable("petal_width").states
    ('le_0.8', 'gt_0.8_le_1.75', 'gt_1.75')
    """
    names = _distinct([_word(name) for name in network.nodes])
    variables = [
        Variable(name, tuple(_distinct([_state(state) for state in variable.states])))
        for name, variable in zip(names, network.variables, strict=True)
    ]
    target = None if network.target is None else names[network.dag.index(network.target)]
    return BayesNet(variables, DAG.from_parents(names, network.dag.parent_indices), network.tables, target)


def _state(label: object) -> str:
    interval = _INTERVAL.fullmatch(str(label))
    if interval is None:
        return _word(str(label))
    low, high = (edge.replace("+", "") for edge in interval.groups())
    ends = [*([] if low == "-inf" else [f"gt_{low}"]), *([] if high == "inf" else [f"le_{high}"])]
    return _word("_".join(ends) or "any")


def _word(text: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", text)
    return plain if plain[:1].isalpha() else f"s{plain}"


def _distinct(words: Sequence[str]) -> list[str]:
    taken: set[str] = set()
    chosen = []
    for word in words:
        name, number = word, 2
        while name in taken:
            name, number = f"{word}_{number}", number + 1
        taken.add(name)
        chosen.append(name)
    return chosen
