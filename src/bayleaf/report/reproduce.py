"""How to make the same model again: its method, a command and a few lines of Python."""

import inspect
import math
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

import bayleaf
from bayleaf._util.words import join_names
from bayleaf.data import Variable
from bayleaf.ensemble import BaggedClassifier
from bayleaf.files import MISSING_VALUES
from bayleaf.graph import DAG
from bayleaf.published import Method, methods

from .text import learner, member_of, shorten


class NoSpellingError(ValueError):
    """A value that code can only refer to, such as a function."""


def spelled(value: Any) -> str:
    """Return code that makes the value, with bayleaf as ``bl``; learners with the settings that differ.

    Examples
    --------
    >>> import bayleaf as bl
    >>> spelled(bl.BayesNetClassifier(bl.KDB(k=3), categorical_features=["TAN(1)"]))
    "bl.BayesNetClassifier(structure=bl.KDB(k=3), categorical_features=['TAN(1)'])"
    >>> spelled(len)
    Traceback (most recent call last):
    bayleaf.report.reproduce.NoSpellingError: <built-in function len>
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(spelled, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{spelled(key)}: {spelled(item)}' for key, item in value.items())}}}"
    if isinstance(value, DAG):
        return f"bl.DAG({spelled(list(value.nodes))}, {spelled(list(value.arcs))})"
    if isinstance(value, BaseEstimator) and getattr(bayleaf, type(value).__name__, None) is type(value):
        return call(value, own_settings(value))
    raise NoSpellingError(repr(value))


def own_settings(learner: Any) -> dict[str, Any]:
    """Return the settings of a learner that are not its defaults, in the order of its signature."""
    defaults = inspect.signature(type(learner)).parameters
    given = learner.get_params(deep=False)
    return {
        name: given[name]
        for name, parameter in defaults.items()
        if name in given and not _same(given[name], parameter.default)
    }


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def call(learner: Any, settings: dict[str, Any]) -> str:
    """Return the call that makes a learner with these settings."""
    words = [f"{name}={spelled(value)}" for name, value in settings.items()]
    return f"bl.{type(learner).__name__}({', '.join(words)})"


DISCRETIZERS = {
    "MDLP()": "mdlp",
    "MedianSplit()": "median",
    "Quantiles()": "quantiles",
    "EqualWidth()": "equal-width",
}
# What a page has room for; a name may be a million characters long.
MOST_CHARACTERS = 40_000
LEARNED = ("structure", "parameters", "selector")


def method_name(classifier: Any) -> str | None:
    """Name of the published method that a classifier is, if it is one, with settings of its own in brackets.

    Examples
    --------
    >>> import bayleaf as bl
    >>> method_name(bl.classifier("NB")), method_name(bl.classifier("KDB", k=3)), method_name(bl.BayesNetClassifier())
    ('NB', 'KDB(k=3)', None)
    >>> method_name(bl.classifier("fsANB-BDeu", ess=5.0, delta=3.0))
    'fsANB-BDeu(ess=5.0, delta=3.0)'
    """
    return _registered(classifier, LEARNED)


def _registered(classifier: Any, parts: Sequence[str]) -> str | None:
    """Name of the first method that agrees with a classifier in these parts."""
    wanted = _signature(classifier, parts)
    with_settings = []
    for method in methods():
        built = method.build()
        if type(built) is not type(classifier):
            continue
        if _signature(built, parts) == wanted:
            return method.name
        if method.settings and type(learner(built, "structure")) is type(learner(classifier, "structure")):
            with_settings.append(method)
    spelled = (_with_settings(method, classifier, parts, wanted) for method in with_settings)
    return next((name for name in spelled if name is not None), None)


def _with_settings(method: Method, classifier: Any, parts: Sequence[str], wanted: list[str]) -> str | None:
    """Spell the method with the settings that the classifier's learners have, if that makes it the same."""
    structure = learner(classifier, "structure")
    homes = (classifier, structure, getattr(structure, "score", None), learner(classifier, "selector"))
    found = {
        key: next((getattr(home, key) for home in homes if hasattr(home, key)), default)
        for key, default in method.settings.items()
    }
    own = {key: value for key, value in found.items() if value != method.settings[key]}
    if not own or _signature(method.build(**own), parts) != wanted:
        return None
    return f"{method.name}({', '.join(f'{key}={value!r}' for key, value in own.items())})"


def _signature(classifier: Any, parts: Sequence[str]) -> list[str]:
    learners = [repr(learner(classifier, part)) for part in parts]
    if isinstance(classifier, BaggedClassifier):
        learners += [f"{classifier.n_estimators} {classifier.vote}"]
    return learners


def python_lines(classifier: Any) -> str:
    """Return the lines of Python that learn the same; what they cannot repeat, a comment says."""
    if classifier is None:
        return 'import bayleaf as bl\n\nnet = bl.load_network("network.json")\n'
    notes = list(_not_repeated(classifier))
    target = classifier.schema_.target.name
    text = "\n".join(
        [
            "import bayleaf as bl",
            "from bayleaf.files import read_data",
            "",
            *(f"# {note}" for note in notes),
            f"data = read_data({', '.join(_reading(classifier))})",
            f"clf = {_spelled_for_a_file(classifier)}",
            f"clf.fit({_features(classifier)}, data[{target!r}])",
            'clf.save("model.bayleaf.json")',
            "",
        ]
    )
    if len(text) > MOST_CHARACTERS:
        return (
            f"# The lines would take {len(text):,} characters: names or settings are too long for a page.\n"
        )
    return text


def _not_repeated(classifier: Any) -> Iterator[str]:
    """Say what the lines cannot repeat."""
    record = getattr(classifier, "training_", None)
    if record is not None and record.weight != record.rows:
        weight = f"{record.weight:,.6g}"
        yield f"Not repeated here: the rows had weights, {weight} in all; pass them to fit as sample_weight."
    for name, value in own_settings(classifier).items():
        try:
            spelled(value)
        except NoSpellingError as error:
            yield f"Not repeated here: {name} has {_one_line(error)}; put your own in its place."
    if isinstance(classifier, BaggedClassifier) and classifier.random_state is None:
        yield "Not repeated here: no random_state was set, so the samples of rows will be others."


def _one_line(error: Exception) -> str:
    return shorten(" ".join(str(error).split()), 200)


def _spelled_for_a_file(classifier: Any) -> str:
    """Spell the classifier; number columns that were categories by their type are named: a file lacks the type."""
    member, numbers = member_of(classifier), _number_categories(classifier)
    if numbers and isinstance(member.categorical_features, str):
        named = clone(member).set_params(categorical_features=numbers)
        classifier = named if member is classifier else clone(classifier).set_params(estimator=named)
    settings = own_settings(classifier)
    return call(classifier, {name: value for name, value in settings.items() if _is_spelled(value)})


def _is_spelled(value: Any) -> bool:
    try:
        spelled(value)
    except NoSpellingError:
        return False
    return True


def _number_categories(classifier: Any) -> list[str]:
    """Columns of numbers that were taken as categories."""
    return [
        variable.name
        for variable in classifier.schema_.features
        if variable.cuts is None and variable.dtype in ("integer", "float")
    ]


def _text_categories(classifier: Any) -> list[str]:
    """Columns that are text only because the command line was told that they are categories."""
    read = _table_read(classifier)
    named = read.get("categorical", ())
    return [v.name for v in classifier.schema_.features if v.name in named and _looks_otherwise(v, read)]


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
    if read.get("missing_values") is not None:
        yield f"missing_values={list(read['missing_values'])!r}"
    elif any(_has_missing_spelling(variable) for variable in classifier.schema_.variables):
        yield "missing_values=[]"
    text = [variable.name for variable in classifier.schema_.variables if _looks_otherwise(variable, read)]
    if text:
        yield f"as_text={text!r}"


def _has_missing_spelling(variable: Variable) -> bool:
    return variable.dtype == "string" and not {*MISSING_VALUES}.isdisjoint(variable.states)


def _looks_otherwise(variable: Variable, read: dict[str, Any]) -> bool:
    """Whether all labels are text that a file, read like that, would be taken to have numbers or booleans in."""
    commas = read.get("decimal") in (",", "comma") or (
        read.get("decimal") is None and read.get("delimiter") in (None, ";", "semicolon")
    )
    return variable.dtype == "string" and (
        all(_is_number(str(state).replace(",", "." if commas else ",")) for state in variable.states)
        or {str(state).lower() for state in variable.states} <= {"true", "false"}
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
    return f"data.select({[variable.name for variable in classifier.schema_.features]!r})"


def command_line(classifier: Any) -> str | None:
    """Return the call of the command line that learns the same, where it has one."""
    if classifier is None or _beyond_options(classifier):
        return None
    named = method_name(classifier)
    name = named or _registered(classifier, ("structure", "selector"))
    discretizer = DISCRETIZERS.get(repr(learner(classifier, "discretizer")))
    if name is None or discretizer is None:
        return None  # these settings have no spelling on the command line
    words = ["bayleaf", "fit", "data.csv", "--target", classifier.schema_.target.name, "--method", name]
    if named is None:
        words += ["--set", f"parameters={repr(learner(classifier, 'parameters')).removesuffix('()')}"]
    if discretizer != _own_discretizer(name):
        words += ["--discretizer", discretizer]
    words += [*_options(classifier), "-o", "model.bayleaf.json"]
    line = shlex.join(words)
    return line if len(line) <= MOST_CHARACTERS else None


def _own_discretizer(name: str) -> str | None:
    """Option's word for the way in which a method cuts numbers where nothing is said."""
    method = next(method for method in methods() if method.name == name.partition("(")[0])
    return DISCRETIZERS.get(repr(learner(method.build(), "discretizer")))


def _beyond_options(classifier: Any) -> bool:
    """Whether something about the classifier, or its data, has no option."""
    member, record = member_of(classifier), getattr(classifier, "training_", None)
    sampling = (getattr(classifier, "max_samples", None), getattr(classifier, "bootstrap", True))
    weighted = record is not None and record.weight != record.rows
    read = _table_read(classifier)
    known = "missing_values" in read
    variables = classifier.schema_.variables
    named = _text_categories(classifier)
    altered = any(
        (_looks_otherwise(v, read) and v.name not in named) or (not known and _has_missing_spelling(v))
        for v in variables
    )
    random = classifier.random_state
    return (
        sampling != (None, True)
        or member.loss is not None
        or weighted
        or altered
        or not (random is None or isinstance(random, int))
    )


def _options(classifier: Any) -> Iterator[str]:
    member, read = member_of(classifier), _table_read(classifier)
    categories = [*_number_categories(classifier), *_text_categories(classifier)]
    if categories:
        yield from ("--categorical", join_names(categories))
    if member.missing != "available":
        yield from ("--missing", member.missing)
    if member.unknown != "missing":
        yield from ("--set", f"unknown={member.unknown}")
    if read.get("drop"):
        yield from ("--drop", join_names(read["drop"]))
    if read.get("delimiter") is not None:
        yield from ("--delimiter", read["delimiter"])
    if read.get("decimal") is not None:
        yield from ("--decimal", read["decimal"])
    if read.get("missing_values") is not None:
        yield from ("--missing-values", ",".join(read["missing_values"]))
    if isinstance(classifier.random_state, int) and classifier.random_state:
        yield from ("--seed", str(classifier.random_state))
    cross_validated = getattr(getattr(classifier, "training_", None), "cross_validated", None)
    if cross_validated is not None:
        yield from ("--cv", str(cross_validated.folds))
