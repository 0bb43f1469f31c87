"""The estimate with which Friedman, Geiger and Goldszmidt smoothed TAN, on whose data sets the paper is measured."""

import numpy as np
from numpy.typing import NDArray

import bayleaf as bl
from bayleaf.counts import Counts


class FriedmanSmoothing(bl.learn.parameters.ClosedForm):
    """theta_ijk = (N_ijk + n0 N_k / N) / (N_ij + n0): each distribution is drawn towards that of the node alone.

    A node without parents keeps its frequencies. Zeros that are left, of values without a training row, become
    ``epsilon``, as in `bayleaf.MaximumLikelihood`.

    References
    ----------
    N. Friedman, D. Geiger and M. Goldszmidt. Bayesian network classifiers. Machine Learning 29, 1997 (section 4.1).
    """

    def __init__(self, n0: float = 5.0, epsilon: float = 1e-5) -> None:
        self.n0 = n0
        self.epsilon = epsilon

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        alone = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
        share = alone / alone.sum() if alone.sum() else np.full(len(alone), 1 / len(alone))
        smooth = (counts + self.n0 * share) / (counts.sum(axis=-1, keepdims=True) + self.n0)
        kept = np.where(smooth == 0, self.epsilon, smooth)
        estimate: NDArray[np.float64] = kept / kept.sum(axis=-1, keepdims=True)
        return estimate
