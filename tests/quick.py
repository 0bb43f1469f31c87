"""A classifier that is fitted at once, for tests of something else than what the default learns."""

from typing import Any

import bayleaf as bl


def quick(**settings: Any) -> bl.BayesNetClassifier:
    """Return a TAN whose tables come from counts alone."""
    return bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), bl.MDLP(), **settings)
