"""The register of learners: every learner that a setting may hold, by kind and by name.

A learner is registered by its line in the ``__init__.py`` of its room, and nowhere else. Model files, the command
line, the lines that a model page prints to reproduce a model, and the names at the top of bayleaf read this register.
"""

import ast
import inspect
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from types import ModuleType
from typing import Any

import bayleaf.learn.parameters as parameters
import bayleaf.learn.scores as scores
import bayleaf.learn.selection as selection
import bayleaf.learn.structure as structure
import bayleaf.learn.tuning as tuning
from bayleaf._util.params import LEARNER_METHODS, check_settings
from bayleaf._util.words import listing, short
from bayleaf.data import discretize

# Not "from . import": that asks the package for its names, which need this module.


# Each kind is called as the setting that takes it: where its learners are, and what each of them can do.
KINDS: dict[str, tuple[tuple[ModuleType, ...], str]] = {
    "structure": ((structure,), LEARNER_METHODS["structure"]),
    "structures": ((structure,), "learn_all"),
    "parameters": ((parameters, tuning), LEARNER_METHODS["parameters"]),
    "discretizer": ((discretize,), LEARNER_METHODS["discretizer"]),
    "selector": ((selection,), LEARNER_METHODS["selector"]),
    "test": ((selection,), "test"),
    "score": ((scores,), "get_params"),
}

# What learners derive from; no setting holds one of these.
BASES = (
    discretize.Discretizer,
    parameters.ClosedForm,
    scores.ClassFocusedScore,
    scores.DecomposableScore,
    selection.Selector,
    structure.SearchingLearner,
    structure.SeveralLearner,
)


def learners(*kinds: str) -> dict[str, type]:
    """Return the learners of these kinds by name, in the order of their rooms; of all kinds if none is named.

    Examples
    --------
    >>> list(learners("parameters"))
    ['ConditionalLikelihood', 'Dirichlet', 'Laplace', 'MEstimate', 'MaximumLikelihood', 'Shrinkage', 'Subsampled',
     'AWNB', 'WANBIA', 'TunedTables']
    >>> "KDB" in learners("structure"), "KDB" in learners("score"), "KDB" in learners()
    (True, False, True)
    """
    return {
        name: getattr(room, name)
        for kind in kinds or KINDS
        for room in KINDS[kind][0]
        for name in room.__all__
        if _is_learner(getattr(room, name), KINDS[kind][1])
    }


def _is_learner(item: object, method: str) -> bool:
    settled = inspect.isclass(item) and item not in BASES
    return settled and hasattr(item, "get_params") and hasattr(item, method)


def option_words(kind: str) -> dict[str, type]:
    """Return the learners of a kind that need no settings, by a word in lower case for the command line.

    Examples
    --------
    >>> list(option_words("discretizer"))
    ['mdlp', 'adaptive-quantiles', 'equal-width', 'median', 'quantiles']
    """
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower().removesuffix("-split"): learner
        for name, learner in learners(kind).items()
        if _does_without_settings(learner)
    }


def _does_without_settings(learner: type) -> bool:
    try:
        check_settings(learner())
    except (TypeError, ValueError):
        return False
    return True


# What everybody calls a learner.
SHORT_NAMES = {"nb": "naivebayes", "ml": "maximumlikelihood"}


def named_learner(kind: str, value: Any) -> Any:
    """Return the learner of a kind that a text names, with settings in brackets; anything but a text as it is.

    Upper and lower case are the same, and so are words with a hyphen.

    Examples
    --------
    >>> named_learner("structure", "kdb"), named_learner("structure", "KDB(k=3)"), named_learner("structure", None)
    (KDB(), KDB(k=3), None)
    >>> named_learner("structure", "nb")
    NaiveBayes()
    >>> named_learner("parameters", "maximum-likelihood")
    MaximumLikelihood()
    """
    if not isinstance(value, str):
        return value
    name, bracket, rest = value.strip().partition("(")
    known = {learner.__name__.lower(): learner for learner in learners(kind).values()}
    word = name.strip().lower().replace("-", "")
    found = known.get(SHORT_NAMES.get(word, word))
    if found is None or (bracket and not rest.endswith(")")):
        names = [learner.__name__ for learner in known.values()]
        near = get_close_matches(name.strip().lower(), [each.lower() for each in names], 1)
        guess = f" Did you mean '{near[0]}'?" if near else ""
        raise ValueError(
            f"'{short(value)}' is no learner for the setting '{kind}'.{guess} There are {listing(names, 12)}; "
            "methods of papers are built by bl.classifier."
        )
    return _built(found, rest[:-1])


def learner_or_text(kind: str, value: Any) -> Any:
    """Return the learner that a text names; a text that names none stays what it is, to be refused by fit.

    Constructors of estimators raise nothing, as scikit-learn has it.

    Examples
    --------
    >>> learner_or_text("structure", "kdb"), learner_or_text("structure", "kbd")
    (KDB(), 'kbd')
    """
    try:
        return named_learner(kind, value)
    except ValueError:
        return value


# Where no learner is named, a setting of the default one is set; other settings name these learners.
KNOWN_BY_SETTING = {"structure": (structure.KDB,), "parameters": (parameters.Dirichlet,)}


def learner_with(kind: str, settings: Collection[str], default: Any) -> Any:
    """Return the learner whose settings are meant where none is named: the default one, if it has them.

    Otherwise the usual learner with such settings: ``structure__k`` is about `KDB`, ``parameters__ess`` about
    `Dirichlet`.

    Examples
    --------
    >>> learner_with("structure", ["k"], structure.TAN()), learner_with("structure", ["root"], structure.TAN())
    (KDB(), TAN())
    """
    for candidate in (default, *(learner() for learner in KNOWN_BY_SETTING.get(kind, ()))):
        if candidate is not None and set(settings) <= candidate.get_params().keys():
            return candidate
    wanted = min(settings)
    having = [
        name for name, learner in learners(kind).items() if wanted in inspect.signature(learner).parameters
    ]
    hint = f"; {listing(having)} would have it" if having else ""
    raise ValueError(
        f"There is no learner for the setting '{kind}__{wanted}'{hint}: name one, as in {kind}="
        f"'{(having or list(learners(kind)))[0]}'."
    )


def settings_of(texts: Sequence[str] | None) -> dict[str, Any]:
    """Read settings written as ``key=value``.

    Numbers, true, false and none are understood; a learner of bayleaf is given by its name, with settings if need be.

    Examples
    --------
    >>> settings_of(["k=3", "parameters=Dirichlet(ess=5)", "unknown=error"])
    {'k': 3, 'parameters': Dirichlet(ess=5), 'unknown': 'error'}
    """
    settings = {}
    for text in texts or ():
        key, equals, value = (part.strip() for part in text.partition("="))
        if not key or not equals or not value:
            raise ValueError(f"A setting is written key=value, such as k=3. Got '{text}'.")
        settings[key] = _value(key, value)
    return settings


def _value(key: str, text: str) -> Any:
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    named = text.partition("(")[0].strip() in learners()
    if key.rpartition("__")[2] in KINDS or (named and text.endswith(")")):
        return _learner(key, text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _learner(key: str, text: str) -> Any:
    """Build a learner from its name and its settings in brackets."""
    name, bracket, rest = text.partition("(")
    learner = learners().get(name.strip())
    if learner is None or (bracket and not rest.endswith(")")):
        raise ValueError(f"'{text}' is not a learner of bayleaf that could be the setting '{key}'.")
    return _built(learner, rest[:-1])


def _built(learner: type, text: str) -> Any:
    """Build a learner with the settings that a text lists."""
    settings = settings_of(list(split_methods(text)))
    known = list(inspect.signature(learner).parameters)
    unknown = sorted(set(settings) - set(known))
    if unknown:
        name, listed = learner.__name__, ", ".join(known) or "none"
        raise ValueError(f"{name} has no setting '{unknown[0]}'; its settings: {listed}.")
    return learner(**settings)


def split_methods(text: str) -> Iterator[str]:
    """Split at commas that are not inside brackets."""
    depth, start = 0, 0
    for position, character in enumerate(f"{text},"):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or (position == len(text) and depth):
            raise ValueError(f"The brackets of '{text.strip()}' do not match.")
        if character == "," and depth == 0:
            if text[start:position].strip():
                yield text[start:position].strip()
            start = position + 1


def name_and_settings(text: str) -> tuple[str, dict[str, Any]]:
    """Read a name, with settings in brackets after it if it has any; brackets without "=" belong to the name.

    Examples
    --------
    >>> name_and_settings("KDB(k = 3)"), name_and_settings("RMCV(NBC)")
    (('KDB', {'k': 3}), ('RMCV(NBC)', {}))
    """
    text = text.strip()
    opening = _last_bracket(text)
    if opening is None or "=" not in text[opening:]:
        return text, {}
    return text[:opening].strip(), settings_of(list(split_methods(text[opening + 1 : -1])))


def _last_bracket(text: str) -> int | None:
    """Where the last bracket of a text opens, if the text ends with it."""
    if not text.endswith(")"):
        return None
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == ")") - (text[position] == "(")
        if depth == 0:
            return position
    return None
