"""The names at the top of bayleaf. `bayleaf` itself imports them when the first of them is asked for."""

from importlib.util import find_spec as _find_spec

# The rooms of learners say what they have, so that a new learner needs no line here.
from . import ROOMS as _ROOMS
from .classify import AveragedClassifier as AveragedClassifier
from .classify import BaggedClassifier as BaggedClassifier
from .classify import NetworkPool as NetworkPool
from .classify.one_network import BayesNetClassifier as BayesNetClassifier
from .data.discretize import *  # noqa: F403
from .graph import DAG as DAG
from .learn.discovery import arc_strengths as arc_strengths
from .learn.discovery import learn_network as learn_network
from .learn.parameters import *  # noqa: F403
from .learn.register import learners as _learners
from .learn.scores import *  # noqa: F403
from .learn.selection import *  # noqa: F403
from .learn.structure import *  # noqa: F403
from .learn.tuning import AWNB as AWNB
from .learn.tuning import WANBIA as WANBIA
from .learn.tuning import TunedTables as TunedTables
from .models import load as load
from .models.published import cite as cite
from .models.published import classifier as classifier
from .models.published import methods as methods
from .network import BayesNet as BayesNet
from .networks import load_network as load_network
from .networks import read_bif as read_bif


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
    """Return what completion offers after ``bl.``: names at the top, learners and rooms; Spark's if it is there."""
    absent = set() if _find_spec("pyspark") else {"spark"}
    return sorted({*public_names(), *_learners(), *_ROOMS, "__version__"} - absent)


def named(name: str) -> object:
    """Return what has a name at the top, all names of the rooms of learners among them."""
    if name not in globals() or name in ("all_names", "named", "public_names"):
        raise AttributeError(f"module 'bayleaf' has no attribute '{name}'")
    return globals()[name]
