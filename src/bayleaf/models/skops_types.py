"""Which types a model is made of, for skops and MLflow: they load only what they are told to trust."""

import os
from importlib import import_module
from typing import Any

from bayleaf._util.params import require
from bayleaf._util.words import listing

# What is trusted besides classes of bayleaf: it holds the type of an array.
OF_OTHERS = frozenset({"numpy.dtype"})


def trusted_types(source: Any) -> list[str]:
    """Return the types of a fitted model, or of a skops file, that are bayleaf's own; needs the extra ``skops``.

    skops and MLflow refuse types of all libraries but a few, unless they are named. Classes of bayleaf execute
    nothing when they are loaded. Anything else in the model, such as a learner of your own, raises an error: look at
    it, and name it yourself.

    Parameters
    ----------
    source : classifier or path

    Examples
    --------
    >>> import bayleaf as bl
    >>> model = bl.BayesNetClassifier().fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
    >>> import skops.io  # doctest: +SKIP
    >>> skops.io.dump(model, "model.skops")  # doctest: +SKIP
    >>> skops.io.load("model.skops", trusted=bl.models.trusted_types("model.skops"))  # doctest: +SKIP
    BayesNetClassifier()
    """
    skops = require("skops.io", extra="skops")
    if isinstance(source, str | os.PathLike):
        found = skops.get_untrusted_types(file=source)
    else:
        found = skops.get_untrusted_types(data=skops.dumps(source))
    strange = [name for name in found if not _is_own(name)]
    if strange:
        raise ValueError(
            f"Not of bayleaf: {listing(strange)}. Look at what these do when they are loaded, and name them yourself."
        )
    return list(found)


def _is_own(name: str) -> bool:
    """Tell whether a name is that of a class of bayleaf: functions of bayleaf could be made to do things."""
    if name in OF_OTHERS:
        return True
    module, _, called = name.rpartition(".")
    if module != "bayleaf" and not module.startswith("bayleaf."):
        return False
    try:
        return isinstance(getattr(import_module(module), called, None), type)
    except ImportError:
        return False
