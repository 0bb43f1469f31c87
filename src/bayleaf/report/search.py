"""The steps of the structure learner, as the page shows them."""

from typing import Any

from bayleaf.graph import SearchStep
from bayleaf.record import TrainingRecord

from .text import shorten

LONGEST_STEP = 120


def search_data(record: TrainingRecord | None) -> dict[str, Any] | None:
    """Return the trace of a search as plain data; None where the model has none.

    Examples
    --------
    >>> import bayleaf as bl
    >>> clf = bl.BayesNetClassifier().fit([["a", "x"], ["b", "y"]] * 5, [0, 1] * 5)
    >>> data = search_data(clf.training_)
    >>> data["start"]["arcs"], data["steps"][0][0]
    (2, 'add x0 → x1')
    """
    trace = None if record is None else record.search
    if trace is None:
        return None
    return {
        "measure": trace.measure,
        "start": {"arcs": len(trace.start), "score": trace.start_score},
        "steps": [[_shown(step), step.score, step.considered] for step in trace.steps],
        # Steps that were not kept are missing after this one.
        "gap": {"after": (len(trace.steps) + 1) // 2, "steps": trace.left_out} if trace.left_out else None,
    }


def _shown(step: SearchStep) -> str:
    return shorten(str(step).replace(" -> ", " → "), LONGEST_STEP)


__all__ = ["search_data"]
