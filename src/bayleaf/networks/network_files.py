"""Network files by the end of their names, and names that the readers of other tools take."""

import re
from collections.abc import Callable

from bayleaf._util.whole_files import FilePath, format_suffix, write_text
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

from . import documents
from .bif import read_bif, write_bif
from .dsc_xmlbif import read_dsc, read_xmlbif, write_dsc, write_xmlbif
from .network_formats import distinct, to_dot, write_net

Read = Callable[[FilePath], BayesNet]
Write = Callable[[BayesNet, FilePath], None]
# The name of each format, what writes it, and what reads it, if anything does.
FORMATS: dict[str, tuple[str, Write, Read | None]] = {
    ".bif": ("BIF", write_bif, read_bif),
    ".xmlbif": ("XMLBIF", write_xmlbif, read_xmlbif),
    ".bifxml": ("XMLBIF", write_xmlbif, read_xmlbif),
    ".xml": ("XMLBIF", write_xmlbif, read_xmlbif),
    ".dsc": ("DSC", write_dsc, read_dsc),
    ".net": ("NET", write_net, None),
    ".dot": ("DOT", lambda network, path: write_text(path, to_dot(network)), None),
    ".json": ("JSON", documents.write_network, documents.load_network),
}
NAMES = ".bif, .xmlbif or .bifxml, .net (Hugin), .dsc, .dot (Graphviz) or .json, each also with .gz"


def save_network(network: BayesNet, path: FilePath) -> None:
    """Write a network in the format that the name of its file ends in; in JSON by default."""
    FORMATS.get(format_suffix(path), FORMATS[".json"])[1](network, path)


def load_network(path: FilePath) -> BayesNet:
    """Read a network from a file: JSON that `BayesNet.save` wrote, BIF, XMLBIF or DSC, by the end of its name.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> coin = BayesNet([Variable("coin", ("heads", "tails"))], DAG(["coin"]), [[0.5, 0.5]])
    >>> for name in ("coin.json", "coin.bif", "coin.xmlbif", "coin.dsc.gz"):
    ...     path = pathlib.Path(tempfile.mkdtemp()) / name
    ...     coin.save(path)
    ...     assert load_network(path).nodes == ("coin",)
    """
    name, _, read = FORMATS.get(format_suffix(path), FORMATS[".json"])
    if read is None:
        raise ValueError(
            f"'{path}' is a {name} file, which bayleaf can write but not read: read BIF, XMLBIF, DSC or JSON."
        )
    return read(path)


_INTERVAL = re.compile(r"\((\S+), (\S+)[\])]")


def with_plain_names(network: BayesNet) -> BayesNet:
    """Return the network with plain words for names and states: for readers that take nothing else.

    Letters, digits, ``_``, ``.`` and ``-``, a letter first. Intervals become ``le_0.8``, ``gt_0.8_le_1.75`` and
    ``gt_1.75``. No cut points are kept.

    Examples
    --------
    >>> net = BayesNet([Variable.numeric("petal width", [0.8, 1.75])], DAG(["petal width"]), [[0.3, 0.4, 0.3]])
    >>> with_plain_names(net).variable("petal_width").states
    ('le_0.8', 'gt_0.8_le_1.75', 'gt_1.75')
    """
    names = list(distinct(map(_word, network.nodes)))
    variables = [
        Variable(name, tuple(distinct(map(_state, variable.states))))
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
