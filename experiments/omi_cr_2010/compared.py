"""The classifiers of the paper by their names, grouped by what they cost."""

from typing import Any

import bayleaf as bl
import datafolder

PARAMETERS = ("ML", "CL")


def _both(*structures: str) -> tuple[str, ...]:
    return tuple(f"{structure}-{parameters}" for structure in structures for parameters in PARAMETERS)


# The columns of Table 7, in its order.
TABLE_7 = _both(
    "NB",
    "TAN-CMI",
    "TAN-SuperParent",
    "TAN-OMI-CR",
    "TAN-OMI-CRCL",
    "TAN-CR",
    "2-tree-SuperParent",
    "2-tree-OMI-CR",
    "2-tree-CR",
)
EXTENDED = _both("TAN-OMI-CR-Ext")
ORDERINGS = ("TAN-OMI-CR-ML", "TAN-OMISP-CR-ML", "TAN-OCR-CR-ML")
SCORED_BY_CL = ("TAN-OMI-CL-ML", "TAN-CL-ML")
RANDOM_ORDER = "TAN-RO-CR-ML"
# Every candidate's tables are trained by CL.
TRAINED_INSIDE = _both("TAN-OMI-CRCL")

UCI_METHODS = tuple(
    name
    for name in dict.fromkeys((*TABLE_7, *EXTENDED, *ORDERINGS, *SCORED_BY_CL))
    if name not in TRAINED_INSIDE
)
# On 196 and 256 features; what costs many minutes to hours there is apart.
DIGIT_METHODS = (
    *_both("NB", "TAN-CMI", "TAN-OMI-CR"),
    *EXTENDED,
    *ORDERINGS[1:],
    "TAN-CR-ML",
    "2-tree-OMI-CR-ML",
)
COSTLY_ON_DIGITS = (*_both("TAN-SuperParent"), "TAN-CR-CL", "2-tree-OMI-CR-CL", *_both("2-tree-SuperParent"))
# Figures 11 to 13: structures that describe or classify, tables that describe or classify.
MISSING_METHODS = _both("NB", "TAN-CMI", "TAN-OMI-CR", "TAN-CR")


def classifiers(names: tuple[str, ...], **settings: Any) -> dict[str, Any]:
    """Build classifiers by name."""
    return {name: bl.classifier(name, **{**datafolder.AS_PUBLISHED, **settings}) for name in names}
