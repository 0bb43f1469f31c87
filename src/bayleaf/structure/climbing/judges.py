"""The judge that belongs to a score."""

from typing import cast

import numpy as np

from bayleaf.scores import ClassFocusedScore, DecomposableScore
from bayleaf.table import Table

from .class_judge import ClassJudge
from .family_judge import FamilyJudge
from .graph_judge import GraphJudge, GraphScore
from .judge import Judge
from .rules import NO_LIMIT, Rules

Score = DecomposableScore | ClassFocusedScore | GraphScore


def judge_of(score: Score, table: Table, rules: Rules, rng: np.random.Generator) -> Judge:
    """Return the fastest judge for a score."""
    if hasattr(score, "families"):
        return FamilyJudge(cast(DecomposableScore, score), table, rules)
    if hasattr(score, "evaluator"):
        return ClassJudge(cast(ClassFocusedScore, score), table, rng)
    return GraphJudge(score, table)


def check_score(score: object) -> None:
    """Refuse what is no score, or the class of one in place of an object."""
    if isinstance(score, type):
        raise TypeError(
            f"HillClimbing cannot climb the class {score.__name__}: make an object of it, {score.__name__}()."
        )
    if not any(hasattr(score, method) for method in ("families", "evaluator", "value")):
        raise TypeError(
            f"HillClimbing cannot climb {score!r}: a score needs 'families(table, families)' (decomposable), "
            "'evaluator(table, dag, rng)' (class-focused), or 'value(table, dag)'."
        )


def default_cells(score: Score, table: Table) -> int:
    """Return the largest table that is worth a look: rows fill no larger one, and dense tables take memory."""
    return max(16 * table.n_rows, 2**12) if hasattr(score, "evaluator") else NO_LIMIT
