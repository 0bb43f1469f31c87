"""What to say of a name that no method has."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

MOST_NAMES = 8
MOST_GUESSES = 3
# Names of learners, and what is learned with them under a name of its own.
RELATED = {
    "exact": ("GBN-BDeu", "ANB-BDeu"),
    "hillclimbing": ("gGBN-BDeu", "HGC", "RMCV(NBC)"),
    "naivebayes": ("NB",),
    "superparent": ("TAN-SuperParent-ML", "2-tree-SuperParent-ML"),
}


def unknown_name(name: str, known: Sequence[str], catalogue: str) -> str:
    """Say that there is no such method, what may have been meant, and where all of them are listed.

    Examples
    --------
    >>> unknown_name("TANN", ["NB", "TAN"], "bl.methods()")
    "There is no method 'TANN'. Did you mean 'TAN'? See bl.methods() for all."
    >>> unknown_name("KDB(k=3)", ["NB", "KDB"], "bl.methods()")
    "There is no method 'KDB(k=3)'. Settings are given by name, as in classifier('KDB', k=3)."
    """
    start = f"There is no method '{name}'."
    bare, bracket, settings = name.partition("(")
    with_settings = bool(bracket) and "=" in settings
    near = guesses(bare.strip() if with_settings else name, known)
    if with_settings and near:
        call = f"classifier('{near[0]}', {settings.rstrip(' )')})"
        return f"{start} Settings are given by name, as in {call}."
    if near:
        return f"{start} Did you mean {' or '.join(repr(guess) for guess in near)}? See {catalogue} for all."
    more = len(known) - MOST_NAMES
    listed = ", ".join(known[:MOST_NAMES]) + (f" and {more} more: see {catalogue}" if more > 0 else "")
    return f"{start} There are {listed}."


def guesses(name: str, known: Sequence[str]) -> list[str]:
    """Return the names that may have been meant, the likeliest first: those of a family, or alike in spelling.

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
