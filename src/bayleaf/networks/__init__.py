"""Networks in files: BIF, JSON, XMLBIF, DSC, NET and DOT, and as objects of other libraries."""

from .bif import read_bif, write_bif
from .documents import write_network
from .dsc_xmlbif import read_dsc, read_xmlbif, write_dsc, write_xmlbif
from .network_files import load_network, with_plain_names
from .network_formats import cpt_frame, to_dot, to_networkx, to_pgmpy, to_pyagrum, write_net

__all__ = [
    "cpt_frame",
    "load_network",
    "read_bif",
    "read_dsc",
    "read_xmlbif",
    "to_dot",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "with_plain_names",
    "write_bif",
    "write_dsc",
    "write_net",
    "write_network",
    "write_xmlbif",
]
