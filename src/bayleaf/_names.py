"""The names at the top of bayleaf. `bayleaf` itself imports them when the first of them is asked for."""

from ._util.warning import moved_names as _moved_names

# The rooms of learners say what they have, so that a new learner needs no line here.
from .data.discretize import *  # noqa: F403
from .discovery import arc_strengths as arc_strengths
from .discovery import learn_network as learn_network
from .ensemble import AveragedClassifier as AveragedClassifier
from .ensemble import BaggedClassifier as BaggedClassifier
from .estimator import BayesNetClassifier as BayesNetClassifier
from .files import load_network as load_network
from .files import read_bif as read_bif
from .graph import DAG as DAG
from .modelfile import load as load
from .network import BayesNet as BayesNet
from .parameters import *  # noqa: F403
from .pool import NetworkPool as NetworkPool
from .published import cite as cite
from .published import classifier as classifier
from .published import methods as methods
from .register import learners as _learners
from .scores import *  # noqa: F403
from .selection import *  # noqa: F403
from .structure import *  # noqa: F403
from .tuning import AWNB as AWNB
from .tuning import WANBIA as WANBIA
from .tuning import TunedTables as TunedTables

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


def public_names() -> list[str]:
    """Return ``bayleaf.__all__``."""
    return [
        "AveragedClassifier",
        "BaggedClassifier",
        "BayesNet",
        "BayesNetClassifier",
        "DAG",
        "NetworkPool",
        "arc_strengths",
        "cite",
        "classifier",
        "learn_network",
        "load",
        "load_network",
        "methods",
        "read_bif",
        *_learners("structure", "parameters", "discretizer"),
    ]


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
    return sorted({*public_names(), *_learners(), *rooms, "selection", "structure", "tuning", "__version__"})
