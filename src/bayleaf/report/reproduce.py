"""How to learn the same model again: the command that was given, and lines of Python."""

import shlex
from collections.abc import Iterator
from typing import Any

from sklearn.base import clone

from bayleaf._util.params import written
from bayleaf.data import Variable
from bayleaf.data.number_text import find_numbers
from bayleaf.ensemble import BaggedClassifier
from bayleaf.files import MISSING_VALUES
from bayleaf.modelfile.settings import NoSpellingError, own_settings, spelled
from bayleaf.structure.tan import default_structure

from .text import learner, member_of, shorten

# What a page has room for; a name may be a million characters long.
MOST_CHARACTERS = 40_000


def command_line(classifier: Any) -> str | None:
    """Return the call of ``bayleaf fit`` that learned this model; the names of the files stand for yours.

    Examples
    --------
    >>> import bayleaf as bl
    >>> command_line(bl.BayesNetClassifier().fit([["a"], ["b"]], [0, 1])) is None
    True
    """
    options = getattr(getattr(classifier, "training_", None), "command", None)
    if options is None:
        return None
    line = shlex.join(["bayleaf", "fit", "data.csv", *options, "-o", "model.bayleaf.json"])
    return line if len(line) <= MOST_CHARACTERS else None


def python_lines(classifier: Any) -> str:
    """Return the lines of Python that learn the same model; comments say what they cannot repeat."""
    if classifier is None:
        return 'import bayleaf as bl\n\nnet = bl.load_network("network.json")\n'
    made, notes = _spelled_for_a_file(classifier)
    target = classifier.schema_.target.name
    lines = [
        "import bayleaf as bl",
        "from bayleaf.files import read_data",
        "",
        *(f"# Not repeated here: {note}" for note in (*_not_repeated(classifier), *notes)),
        f"data = read_data({', '.join(_reading(classifier))})",
        f"clf = {made}",
        f"clf.fit({_features(classifier)}, data[{target!r}])",
        'clf.save("model.bayleaf.json")',
        "",
    ]
    text = "\n".join(lines)
    if len(text) > MOST_CHARACTERS:
        return (
            f"# The lines would take {len(text):,} characters: names or settings are too long for a page.\n"
        )
    return text


def _not_repeated(classifier: Any) -> Iterator[str]:
    """Say what the lines cannot repeat, settings aside."""
    record = getattr(classifier, "training_", None)
    if record is not None and record.weight != record.rows:
        yield f"the rows had weights, {record.weight:,.6g} in all; pass them to fit as sample_weight."
    if getattr(classifier, "random_state", 0) is None:
        if isinstance(classifier, BaggedClassifier):
            yield "no random_state was set, so other samples of rows will be drawn."
        elif getattr(learner(classifier, "structure"), "draws", False):
            yield "no random_state was set, so other networks will be drawn."


def _spelled_for_a_file(classifier: Any) -> tuple[str, list[str]]:
    """Spell the classifier, and say which settings code can only refer to.

    Numeric columns that were categories by their type are named: a file lacks the type.
    """
    member, numbers = member_of(classifier), _number_categories(classifier)
    settings: dict[str, Any] = {}
    if numbers and isinstance(member.categorical_features, str):
        settings["categorical_features"] = numbers
    of_one_learner = hasattr(member, "structure") and not hasattr(classifier, "structures")
    if of_one_learner and member.structure is None:
        structure = learner(classifier, "structure")
        if written(structure) != written(default_structure()):  # the default of an earlier version
            settings["structure"] = structure
    if settings:
        named = clone(member).set_params(**settings)
        classifier = named if member is classifier else clone(classifier).set_params(estimator=named)
    words, notes = [], []
    for name, value in own_settings(classifier).items():
        try:
            words.append(f"{name}={spelled(value)}")
        except NoSpellingError as error:
            what = shorten(" ".join(str(error).split()), 200)
            notes.append(f"{name} has {what}; put your own in its place.")
    return f"bl.{type(classifier).__name__}({', '.join(words)})", notes


def _number_categories(classifier: Any) -> list[str]:
    """Columns of numbers, or of texts that are numbers, that were taken as categories."""
    return [
        variable.name
        for variable in classifier.schema_.features
        if variable.cuts is None and (variable.dtype in ("integer", "float") or _is_number_text(variable))
    ]


def _is_number_text(variable: Variable) -> bool:
    return (
        variable.dtype == "string"
        and find_numbers([str(state) for state in variable.value_states]).values is not None
    )


def _table_read(classifier: Any) -> dict[str, Any]:
    """How the command line read the table, where it did."""
    return getattr(getattr(classifier, "training_", None), "table_read", None) or {}


def _reading(classifier: Any) -> Iterator[str]:
    """Arguments of `read_data`: such that text stays text, and values stay values."""
    read = _table_read(classifier)
    yield '"data.csv"'
    if read.get("delimiter") is not None:
        yield f"delimiter={read['delimiter']!r}"
    if read.get("decimal") is not None:
        yield f"decimal={read['decimal']!r}"
    for name in ("encoding", "header", "sheet"):
        if read.get(name) is not None:
            yield f"{name}={read[name]!r}"
    if read.get("missing_values") is not None:
        yield f"missing_values={list(read['missing_values'])!r}"
    elif any(_has_missing_spelling(variable) for variable in classifier.schema_.variables):
        yield "missing_values=[]"
    text = [variable.name for variable in classifier.schema_.variables if _looks_otherwise(variable, read)]
    if text:
        yield f"as_text={text!r}"


def _has_missing_spelling(variable: Variable) -> bool:
    return variable.dtype == "string" and not {*MISSING_VALUES}.isdisjoint(variable.value_states)


def _looks_otherwise(variable: Variable, read: dict[str, Any]) -> bool:
    """Whether all labels are text that a file, read like that, would be taken to have numbers or booleans in."""
    commas = read.get("decimal") in (",", "comma") or (
        read.get("decimal") is None and read.get("delimiter") in (None, ";", "semicolon")
    )
    return variable.dtype == "string" and (
        all(_is_number(str(state).replace(",", "." if commas else ",")) for state in variable.value_states)
        or {str(state).lower() for state in variable.value_states} <= {"true", "false"}
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _features(classifier: Any) -> str:
    """Code for the columns that were learned from."""
    target = classifier.schema_.target.name
    if "drop" in _table_read(classifier):
        return f"data.drop({', '.join(repr(name) for name in (target, *_table_read(classifier)['drop']))})"
    if not hasattr(classifier, "feature_names_in_"):
        return f"data.drop({target!r})"
    return f"data.select({[variable.name for variable in classifier.schema_.columns]!r})"
