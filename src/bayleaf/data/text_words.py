"""Free text: which columns hold it, and features for its most telling words, each present or absent in a row.

Words are chosen where the schema is learned, from training rows alone: in each fold of a cross-validation anew.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, xlogy

from bayleaf.data.discretize.discretizer import TrainingRows

from .raw_columns import ABSENT, Column, LabelColumn, SignedCodes
from .variable import PRESENCE, WORD, State, Variable

# What the one state of a column of free text is called, which is left out itself.
FREE_TEXT = "(text)"
# Free are texts of so many words, where there are so many different ones and each is in fewer than so many rows.
FEWEST_WORDS, FEWEST_TEXTS, FEW_ROWS = 3, 30, 3
# Texts that are looked at, spread over all.
_LOOK = 200
MOST_WORDS = 50
# In fewer rows a word tells little about new rows.
FEWEST_ROWS = 5
LEVEL = 0.01  # of the test of all words together
_WORD, _CHARACTER = re.compile(r"\w\w+"), re.compile(r"\w")


def is_free_text(column: Column) -> bool:
    """Tell whether a column holds texts of several words, most of them in few rows.

    Examples
    --------
    >>> from bayleaf.data import read_columns
    >>> remarks = [[f"parcel {k} was late"] for k in range(40)]
    >>> is_free_text(read_columns(remarks)[0]), is_free_text(read_columns([["late"], ["lost"]] * 20)[0])
    (True, False)
    """
    if not (isinstance(column, LabelColumn) and column.is_text) or column.declared is not None:
        return False
    known = len(column.codes) - int(np.count_nonzero(column.codes == ABSENT))
    return are_free_texts(column.levels, known)


def are_free_texts(levels: Sequence[State], rows: float) -> bool:
    """Tell the same of the different values of a column and the number of its rows that have one."""
    if len(levels) < FEWEST_TEXTS or rows >= FEW_ROWS * len(levels):
        return False
    look = levels[:: max(1, len(levels) // _LOOK)]
    return sum(len(str(level).split()) for level in look) >= FEWEST_WORDS * len(look)


def words_of(text: str) -> set[str]:
    """Return the different words of a text in lower case: of at least two characters, one of them a letter.

    Examples
    --------
    >>> sorted(words_of("The parcel arrived late, and I want a REFUND of 25.00!"))
    ['and', 'arrived', 'late', 'of', 'parcel', 'refund', 'the', 'want']
    """
    return {word for word in _WORD.findall(text.lower()) if not word.isdigit()}


def says_nothing(text: str) -> bool:
    """Tell whether a text has no character of a word: it is missing, as in a field that was left empty.

    Examples
    --------
    >>> says_nothing(" - "), says_nothing("ok")
    (True, False)
    """
    return _CHARACTER.search(text) is None


def _texts_of_rows(column: LabelColumn) -> SignedCodes:
    """Return the code of each row's text, `ABSENT` also where it says nothing."""
    nothing = np.array([says_nothing(str(level)) for level in column.levels] + [True])
    return np.where(nothing[column.codes], ABSENT, column.codes)


def learn_words(column: LabelColumn, name: str, rows: TrainingRows) -> list[Variable]:
    """Return features for the words of a column that tell most about the class, the most telling first.

    A word that is in N(w, c) of the N rows of class c adds 2 N I(w; class) to twice the log-likelihood: the statistic
    of the likelihood-ratio test of independence, which has a chi-squared distribution with c - 1 degrees of freedom
    where the word tells nothing. It is kept where the test says so at the level 0.01 / V, V words being tested.

    References
    ----------
    T. Dunning. Accurate methods for the statistics of surprise and coincidence. Computational Linguistics 19, 1993.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # only here: few tables hold texts

    assert rows.target is not None
    texts = _texts_of_rows(column)
    known = texts != ABSENT
    n_classes, n_texts = int(rows.target.max(initial=0)) + 1, len(column.levels)
    weights = None if rows.weights is None else rows.weights[known]
    cells = texts[known].astype(np.int64) * n_classes + rows.target[known]
    of_texts = np.bincount(cells, weights, minlength=n_texts * n_classes).reshape(n_texts, n_classes)
    counter = CountVectorizer(analyzer=words_of, binary=True)
    try:
        present = counter.fit_transform([str(level) for level in column.levels])
    except ValueError:  # not one word
        return []
    counts, totals = np.asarray(present.T @ of_texts, dtype=np.float64), of_texts.sum(axis=0)
    candidates = np.flatnonzero(
        (counts.sum(axis=1) >= FEWEST_ROWS) & ((totals - counts).sum(axis=1) >= FEWEST_ROWS)
    )
    if not len(candidates):
        return []
    gains = _gains(counts[candidates], totals)
    least = chdtri(np.count_nonzero(totals) - 1, LEVEL / len(candidates))
    words = counter.get_feature_names_out()[candidates]
    best = [k for k in np.lexsort((words, -gains)) if gains[k] > least][:MOST_WORDS]
    return [word_variable(name, str(words[k])) for k in best]


def _gains(counts: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 2 N I(word; class), from the rows of each class that have each word and the rows of each class."""
    n, gains = totals.sum(), np.zeros(len(counts))
    for part in (counts, totals - counts):
        rows = part.sum(axis=1, keepdims=True)
        expected = np.maximum(rows * totals / n, 1e-300)
        gains += 2 * xlogy(part, part / expected).sum(axis=1)
    return gains


def word_variable(column: str, word: str) -> Variable:
    """Return the feature that says whether a text of a column has a word.

    Examples
    --------
    >>> word_variable("remarks", "refund").name
    'remarks: refund'
    """
    return Variable(f"{column}: {word}", PRESENCE, None, "string", source=column, part=WORD, spelling=word)


def word_codes(parts: Sequence[Variable], column: Column) -> Iterator[SignedCodes]:
    """Yield for each word of a column whether the rows have it; -1 where the text is missing or says nothing."""
    if not isinstance(column, LabelColumn):
        missing = column.missing
        texts: list[State] = [] if missing.all() else [str(value) for value in column.values.tolist()]
        column = LabelColumn(column.name, texts, np.where(missing, ABSENT, np.arange(len(missing))), "string")
    rows = _texts_of_rows(column)
    found = [words_of(str(level)) for level in column.levels]
    for part in parts:
        has = np.array([part.spelling in words for words in found] + [False], dtype=np.int8)
        codes = np.where(rows == ABSENT, ABSENT, has[rows])
        yield (codes if part.fill is None else np.where(codes == ABSENT, part.fill, codes)).astype(np.int8)
