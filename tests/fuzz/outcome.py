"""What may become of a hostile input: it is taken, or refused by a sentence of ours. All else is a finding."""

import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bayleaf
from bayleaf._util.whole_files import DataFileError

OURS = os.path.dirname(bayleaf.__file__)
# scikit-learn's checks of X and y speak for us; what the core itself raises seems to come from whoever calls it.
ALLIES = (OURS, os.sep + "sklearn" + os.sep, os.path.join("fuzz", "streams.py"))
KINDS_OF_REFUSAL = (ValueError, TypeError, DataFileError, MemoryError)
MOST_CHARACTERS = 2000


MEMORY = Path("/dev/shm")  # a folder without a disk, where there is one


class FindingError(AssertionError):
    """Something that must not happen has happened."""


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="bayleaf-fuzz-", dir=MEMORY if MEMORY.is_dir() else None)


def scratch() -> Path:
    """Return the folder of this process, the same for all inputs: making one takes longer than most inputs do."""
    folder = Path(_made().name)
    for left in os.listdir(folder):
        (folder / left).unlink()
    return folder


def attempt(action: Callable[[], Any]) -> Any:
    """Return what an action returns, or None where it refuses its input properly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return action()
        except Exception as error:
            check_refusal(error)
            return None


def check_refusal(error: Exception) -> None:
    """A refusal is an error of a usual kind, raised by us, in words that fit on a screen."""
    if type(error) not in KINDS_OF_REFUSAL:
        raise FindingError(f"{type(error).__name__} escapes: {str(error)[:200]}") from error
    place = error.__traceback__
    assert place is not None
    while place.tb_next is not None:
        place = place.tb_next
    file = place.tb_frame.f_code.co_filename
    if not any(part in file for part in ALLIES):
        where = f"{file}:{place.tb_lineno}"
        raise FindingError(f"an error that is not ours ({where}): {str(error)[:200]}") from error
    text = str(error)
    if not text or len(text) > MOST_CHARACTERS:
        raise FindingError(f"a message of {len(text)} characters: {text[:100]}") from error


def check_probabilities(found: Any, rows: int, classes: int) -> None:
    """Probabilities are finite, not negative, and sum to one in each row."""
    found = np.asarray(found)
    if found.shape != (rows, classes):
        raise FindingError(f"probabilities of the shape {found.shape} in place of {(rows, classes)}")
    if not np.isfinite(found).all() or (found < 0).any() or (abs(found.sum(axis=1) - 1) > 1e-9).any():
        raise FindingError(f"probabilities that are none: {found[:3]}")


def check_same(first: Any, second: Any, what: str) -> None:
    """Two ways to the same numbers agree to the last rounding."""
    if not np.allclose(first, second, rtol=0, atol=1e-12):
        raise FindingError(f"{what}: {np.asarray(first)[:3]} and {np.asarray(second)[:3]}")
