"""The register of learners: every learner that a setting may hold, by kind and by name.

A learner is registered by its line in the ``__init__.py`` of its room, and nowhere else. Model files, the command
line, the lines that a model page prints to reproduce a model, and the names at the top of bayleaf read this register.
"""

import inspect
import re
from types import ModuleType

# Not "from . import": that asks the package for its names, which need this module.
import bayleaf.parameters as parameters
import bayleaf.scores as scores
import bayleaf.selection as selection
import bayleaf.structure as structure
import bayleaf.tuning as tuning

from ._util.params import LEARNER_METHODS, check_settings
from .data import discretize

# Each kind is called as the setting that takes it: where its learners are, and what each of them can do.
KINDS: dict[str, tuple[tuple[ModuleType, ...], str]] = {
    "structure": ((structure,), LEARNER_METHODS["structure"]),
    "structures": ((structure,), "learn_all"),
    "parameters": ((parameters, tuning), LEARNER_METHODS["parameters"]),
    "discretizer": ((discretize,), LEARNER_METHODS["discretizer"]),
    "selector": ((selection,), LEARNER_METHODS["selector"]),
    "test": ((selection,), "test"),
    "score": ((scores,), "get_params"),
}

# What learners derive from; no setting holds one of these.
BASES = (
    discretize.Discretizer,
    parameters.ClosedForm,
    scores.ClassFocusedScore,
    scores.DecomposableScore,
    selection.Selector,
    structure.SearchingLearner,
    structure.SeveralLearner,
)


def learners(*kinds: str) -> dict[str, type]:
    """Return the learners of these kinds by name, in the order of their rooms; of all kinds if none is named.

    Examples
    --------
    >>> list(learners("parameters"))
    ['ConditionalLikelihood', 'Dirichlet', 'Laplace', 'MEstimate', 'MaximumLikelihood', 'Shrinkage', 'Subsampled',
     'AWNB', 'WANBIA', 'TunedTables']
    >>> "KDB" in learners("structure"), "KDB" in learners("score"), "KDB" in learners()
    (True, False, True)
    """
    return {
        name: getattr(room, name)
        for kind in kinds or KINDS
        for room in KINDS[kind][0]
        for name in room.__all__
        if _is_learner(getattr(room, name), KINDS[kind][1])
    }


def _is_learner(item: object, method: str) -> bool:
    settled = inspect.isclass(item) and item not in BASES
    return settled and hasattr(item, "get_params") and hasattr(item, method)


def option_words(kind: str) -> dict[str, type]:
    """Return the learners of a kind that need no settings, by a word in lower case for the command line.

    Examples
    --------
    >>> list(option_words("discretizer"))
    ['mdlp', 'adaptive-quantiles', 'equal-width', 'median', 'quantiles']
    """
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower().removesuffix("-split"): learner
        for name, learner in learners(kind).items()
        if _does_without_settings(learner)
    }


def _does_without_settings(learner: type) -> bool:
    try:
        check_settings(learner())
    except (TypeError, ValueError):
        return False
    return True
