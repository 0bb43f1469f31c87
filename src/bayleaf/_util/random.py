"""One kind of random generator, from whatever the user passes as random_state."""

import numpy as np


def generator(random_state: int | np.random.RandomState | np.random.Generator | None) -> np.random.Generator:
    """Return a numpy Generator for an int, a RandomState, a Generator or None.

    Examples
    --------
    >>> generator(0).integers(10) == generator(0).integers(10)
    np.True_
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
