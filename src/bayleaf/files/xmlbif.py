"""Reading XMLBIF files, of which `write_xmlbif` writes one."""

import xml.etree.ElementTree as ET

from bayleaf.network.bayesnet import BayesNet

from .network_parts import FamilyPart, network_of
from .whole_files import FilePath, brief_errors, read_text


@brief_errors()
def read_xmlbif(path: FilePath) -> BayesNet:
    """Read a network from an XMLBIF file (``.xmlbif``, ``.bifxml``, ``.xml``), compressed by gzip or not.

    States are strings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayleaf.data import Variable
    >>> from bayleaf.files import write_xmlbif
    >>> from bayleaf.graph import DAG
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.bifxml"
    >>> write_xmlbif(BayesNet([Variable("coin", ("heads", "tails"))], DAG(["coin"]), [[0.25, 0.75]]), path)
    >>> read_xmlbif(path).posterior("coin")
    {'heads': 0.25, 'tails': 0.75}
    """
    text = read_text(path, "an XMLBIF file")
    if "<!ENTITY" in text:  # no writer needs them, and a few can stand for gigabytes
        raise ValueError(f"'{path}' declares XML entities, which bayleaf does not read.")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(f"'{path}' is not an XML file: {error}.") from None
    if root.tag.upper() != "BIF":
        raise ValueError(f"'{path}' is not an XMLBIF file: it holds <{root.tag}> instead of <BIF>.")
    states: dict[str, list[str]] = {}
    for variable in root.iter("VARIABLE"):
        name = _text(variable.find("NAME"))
        if name in states:
            raise ValueError(f"'{path}': the variable '{name}' is declared twice.")
        states[name] = [_text(outcome) for outcome in variable.iter("OUTCOME")]
    families = {}
    for definition in root.iter("DEFINITION"):
        name = _text(definition.find("FOR"))
        parents = [_text(parent) for parent in definition.iter("GIVEN")]
        families[name] = FamilyPart(parents, _numbers(path, name, definition))
    return network_of(path, states, families)


def _text(element: ET.Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


def _numbers(path: FilePath, name: str, definition: ET.Element) -> list[float]:
    table = definition.find("TABLE")
    words = "" if table is None else " ".join(table.itertext())  # comments may stand between the rows
    try:
        return [float(word) for word in words.split()]
    except ValueError as error:
        raise ValueError(
            f"'{path}': the table of '{name}' holds something else than numbers: {error}."
        ) from None
