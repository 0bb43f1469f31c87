"""Messages: warnings that point at the user's line, lists of names, plurals, and guesses at misspelled names."""

import functools
import math
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the first line outside bayleaf, scikit-learn and joblib as the place."""
    # From Python 3.12 on, skip_file_prefixes of warnings.warn does the same.
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_inside()):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@functools.cache
def _inside() -> tuple[str, ...]:
    """Return where a user's code never is.

    That is bayleaf, scikit-learn and joblib, which call bayleaf for a user (pipelines, searches), and functools, by
    which properties are computed once.
    """
    import joblib  # only here: the command line takes words before it loads any library
    import sklearn

    files = (os.path.dirname(__file__), sklearn.__file__, joblib.__file__)
    return (
        *(os.path.join(os.path.dirname(os.path.abspath(file)), "") for file in files),
        os.path.abspath(functools.__file__),
    )


# Within quotation marks, two of them are one; or anything up to a comma.
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|\Z)')


def split_names(text: str) -> list[str]:
    """Return the names in a text; blanks around them do not count, except within quotation marks."""
    found = (quoted.replace('""', '"') or plain.strip() for quoted, plain in _NAME.findall(text))
    return [name for name in found if name]


def p_text(p_value: float) -> str:
    """Write a p-value the way journals do.

    Examples
    --------
    >>> p_text(0.0312), p_text(0.00002), p_text(0.5)
    ('p = 0.031', 'p < 0.001', 'p = 0.500')
    """
    if math.isnan(p_value):
        return "p undefined"
    return "p < 0.001" if p_value < 0.0005 else f"p = {p_value:.3f}"


def listing(names: Iterable[object], most: int = 8, between: str = ", ") -> str:
    """Names separated by commas, or by what is to stand ``between``; of many only the first.

    Examples
    --------
    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    texts = [short(name) for name in names]
    shown = between.join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


LONGEST_NAME = 100  # characters of a name in a message


def short(name: object) -> str:
    """Write a name for a message: of a very long one only the beginning and the end."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else f"{text[:60]} ... {text[-20:]}"


MOST_CHARACTERS = 1000  # of a message


def shortened(text: str) -> str:
    """Leave out the middle of a text that is too long for a message."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 300]} ... {text[-300:]}"


def counted(number: int, noun: str) -> str:
    """Write a number and its noun, in the plural where it belongs.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class"), counted(3, "category")
    ('1 row', '1,200 rows', '2 classes', '3 categories')
    """
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}{'es' if noun.endswith('s') else 's'}"
    return f"{number:,} {noun}"


MOST_NAMES = 8
MOST_GUESSES = 3
# Names of learners, and the methods that are learned with them.
RELATED = {
    "exact": ("GBN-BDeu", "ANB-BDeu"),
    "hillclimbing": ("gGBN-BDeu", "HGC", "RMCV(NBC)"),
    "naivebayes": ("NB",),
    "superparent": ("TAN-SuperParent-ML", "2-tree-SuperParent-ML"),
}


def unknown_name(name: str, known: Sequence[str], catalogue: str) -> str:
    """Say that there is no such method, what may have been meant, and where all of them are listed."""
    start = f"There is no method '{name}'."
    bare, bracket, settings = name.partition("(")
    with_settings = bool(bracket) and "=" in settings
    near = guesses(bare.strip() if with_settings else name, known)
    if with_settings and near:
        call = f"classifier('{near[0]}', {settings.partition(')')[0]})"
        return f"{start} Settings are given by name, as in {call}."
    if near:
        return f"{start} Did you mean {' or '.join(repr(guess) for guess in near)}? See {catalogue} for all."
    more = len(known) - MOST_NAMES
    listed = ", ".join(known[:MOST_NAMES]) + (f" and {more} more: see {catalogue}" if more > 0 else "")
    return f"{start} There are {listed}."


def guesses(name: str, known: Sequence[str]) -> list[str]:
    """Return the names that may have been meant, the likeliest first: those of a family, or of similar spelling.

    Examples
    --------
    >>> known = ["NB", "KDB", "K2(NBC)", "K2(empty)", "GBN-BDeu", "ANB-BDeu"]
    >>> guesses("K2", known), guesses("Exact", known), guesses("kdb3", known), guesses("xyz", known)
    (['K2(NBC)', 'K2(empty)'], ['GBN-BDeu', 'ANB-BDeu'], ['KDB'], [])
    """
    by_lower = {each.lower(): each for each in known}
    asked = name.lower()
    if asked in by_lower:
        return [by_lower[asked]]
    related = [each for each in RELATED.get(re.sub(r"\W", "", asked), ()) if each in known]
    family = [each for low, each in by_lower.items() if asked and low.startswith((f"{asked}(", f"{asked}-"))]
    alike = [by_lower[each] for each in get_close_matches(asked, by_lower, n=1)]
    return (related or family or alike)[:MOST_GUESSES]
