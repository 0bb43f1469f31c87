"""Bayesian network classifiers: accurate, honest probabilities, reasons, missing values.

A Bayesian network classifier is a graph plus tables; a learner is a structure learner times a parameter learner;
data reaches both only as counts or as per-row log-joints.

At the top level are the classifiers and what they are made of. Everything else is in a subpackage: ``bl.scores``,
``bl.selection``, ``bl.counts``, ``bl.data``, ``bl.graph``, ``bl.network``, ``bl.files``, ``bl.explain``, ...
"""

from importlib.metadata import version as _version

from ._util.warning import moved_names as _moved_names

# The rooms of learners say what they have, so that a new learner needs no line here.
from .data.discretize import *  # noqa: F403
from .ensemble import AveragedClassifier, BaggedClassifier
from .estimator import BayesNetClassifier
from .files import load_network, read_bif
from .graph import DAG
from .modelfile import load
from .network import BayesNet
from .parameters import *  # noqa: F403
from .published import classifier, methods
from .register import learners as _learners
from .scores import *  # noqa: F403
from .selection import *  # noqa: F403
from .structure import *  # noqa: F403

__version__ = _version("bayleaf")

__all__ = [
    "AveragedClassifier",
    "BaggedClassifier",
    "BayesNet",
    "BayesNetClassifier",
    "DAG",
    "classifier",
    "load",
    "load_network",
    "methods",
    "read_bif",
    *_learners("structure", "parameters", "discretizer"),
]

# Names that were at the top.
__getattr__ = _moved_names(
    "bayleaf",
    {
        "bayleaf.counts": (
            "FunctionalDependencies",
            "conditional_mutual_information",
            "entropy",
            "mutual_information",
        ),
        "bayleaf.data": ("Schema", "Table", "Variable"),
        "bayleaf.explain": ("Explanation", "SufficientReason"),
        "bayleaf.graph": ("CPDAG",),
        "bayleaf.network": ("info_ratio", "posterior_divergence", "sum_mi"),
        "bayleaf.record": ("Quality", "TrainingRecord"),
    },
)


def __dir__() -> list[str]:
    rooms = (
        "counts",
        "data",
        "explain",
        "files",
        "graph",
        "network",
        "parameters",
        "record",
        "scores",
        "search",
    )
    return sorted({*__all__, *_learners(), *rooms, "selection", "structure", "__version__"})
