"""The names at the top of bayleaf. `bayleaf` itself imports them when the first of them is asked for."""

from ._util.warning import moved_names as _moved_names

# The rooms of learners say what they have, so that a new learner needs no line here.
from .data.discretize import *  # noqa: F403
from .ensemble import BaggedClassifier
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

__all__ = [
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

# Names that were at the top; whoever asks for one is told where it is now.
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


def all_names() -> list[str]:
    """Return what completion offers after ``bl.``: the names at the top, all learners and the rooms."""
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
