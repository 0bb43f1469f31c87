"""Scores that compare a joint table with its marginal: score(X | P) = J(P + X) - K(P).

Exact search needs one sum per set of variables then, instead of one per family.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SetTerm:
    """What the cells of a set of variables with q configurations add up to.

    Parameters
    ----------
    kind : {"gamma_per_set", "gamma", "entropy"}
        Term of a cell with N rows: lnG(shift / q + N) - lnG(shift / q), lnG(shift + N) - lnG(shift), or N ln N.
    shift : float
    penalty : float
        Taken off once per configuration of the set.

    Examples
    --------
    >>> SetTerm("entropy", penalty=1.0).kind
    'entropy'
    """

    kind: Literal["gamma_per_set", "gamma", "entropy"]
    shift: float = 0.0
    penalty: float = 0.0


@dataclass(frozen=True)
class SetForm:
    """A score as J(P + X) - K(P).

    Parameters
    ----------
    joint : SetTerm
        J.
    given : callable, optional
        The term K for a child of a given arity; by default K = J.

    Examples
    --------
    >>> SetForm(SetTerm("gamma", 1.0), lambda arity: SetTerm("gamma", float(arity))).given(3).shift
    3.0
    """

    joint: SetTerm
    given: Callable[[int], SetTerm] | None = None


@dataclass(frozen=True)
class CountedForm:
    """A decomposable score from counts alone, and from which arcs there are.

    Parameters
    ----------
    form : SetForm
        What the counts of a family add.
    arcs : ndarray of shape (variables, variables), optional
        What having the arc [parent, child] adds.
    alone : ndarray of shape (variables,), optional
        What a child adds whatever its parents.

    Examples
    --------
    >>> CountedForm(SetForm(SetTerm("entropy"))).arcs is None
    True
    """

    form: SetForm
    arcs: NDArray[np.float64] | None = None
    alone: NDArray[np.float64] | None = None
