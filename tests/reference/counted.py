"""The classifier whose tables are counted and whose cuts are few: for tests about anything else than learning."""

from typing import Any

import bayleaf as bl


def counted(
    structure: Any = None, parameters: Any = None, discretizer: Any = None, **settings: Any
) -> bl.BayesNetClassifier:
    """TAN with Dirichlet tables and cuts by MDLP, where nothing else is asked for: fast, and easy to foresee."""
    return bl.BayesNetClassifier(
        bl.TAN() if structure is None else structure,
        bl.Dirichlet() if parameters is None else parameters,
        bl.MDLP() if discretizer is None else discretizer,
        **settings,
    )
