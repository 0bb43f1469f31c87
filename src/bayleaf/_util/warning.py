"""Warnings that point at the line of whoever called bayleaf."""

import functools
import os
import sys
import warnings

import joblib
import sklearn

# A user's code is never in these: scikit-learn and joblib call bayleaf for a user (pipelines, searches), and what is
# computed once is so by functools.
_INSIDE = (
    *(
        os.path.join(folder, "")
        for folder in (
            os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
            os.path.dirname(os.path.abspath(sklearn.__file__)),
            os.path.dirname(os.path.abspath(joblib.__file__)),
        )
    ),
    os.path.abspath(functools.__file__),
)


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the first line outside bayleaf, scikit-learn and joblib as the place.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     warn("Mind the gap.")
    >>> caught[0].filename.startswith("<doctest"), str(caught[0].message)
    (True, 'Mind the gap.')
    """
    # From Python 3.12 on, skip_file_prefixes of warnings.warn does the same.
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
