"""The classifier whose tables are counted and whose cuts are few: for tests about anything else than learning."""

import bayleaf as bl


def counted(structure=None, parameters=None, discretizer=None, **settings):
    """TAN with Dirichlet tables and cuts by MDLP, where nothing else is asked for: fast, and easy to foresee."""
    return bl.BayesNetClassifier(
        bl.TAN() if structure is None else structure,
        bl.Dirichlet() if parameters is None else parameters,
        bl.MDLP() if discretizer is None else discretizer,
        **settings,
    )
