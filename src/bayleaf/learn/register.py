"""The register of learners: every learner that a setting may hold, by kind and by name, and the texts that name them.

A learner is registered by its line in the ``__init__.py`` of its room, and nowhere else. Model files, the command
line, the lines that a model page prints to reproduce a model, and the names at the top of bayleaf read this register.
"""

import ast
import inspect
import re
from collections.abc import Iterable
from difflib import get_close_matches
from types import ModuleType
from typing import Any

# Not "from . import": that asks the package for its names, which need this module.
import bayleaf.learn.parameters as parameters
import bayleaf.learn.scores as scores
import bayleaf.learn.selection as selection
import bayleaf.learn.structure as structure
import bayleaf.learn.tuning as tuning
from bayleaf._util.params import LEARNER_METHODS, check_settings
from bayleaf._util.words import listing, short
from bayleaf.data import discretize

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
    """Return the learners of a kind that need no settings, by a word in lower case for the command line."""
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


# Short names in common use.
SHORT_NAMES = {"nb": "naivebayes", "ml": "maximumlikelihood"}


def name_and_settings(text: str) -> tuple[str, dict[str, Any]]:
    """Read ``Name(setting=value, ...)``; brackets without "=" belong to the name.

    All texts that name a learner or a method are read here: settings of classifiers, ``bl.classifier``, the command
    line.

    Examples
    --------
    >>> name_and_settings("KDB(k = 3)"), name_and_settings("RMCV(NBC)"), name_and_settings("TAN()")
    (('KDB', {'k': 3}), ('RMCV(NBC)', {}), ('TAN', {}))
    """
    text = text.strip()
    opening = _last_bracket(text)
    inside = "" if opening is None else text[opening + 1 : -1]
    if opening is None or (inside.strip() and "=" not in inside):
        return text, {}
    return text[:opening].strip(), settings_of(split_methods(inside))


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


def split_methods(text: str) -> list[str]:
    """Split at commas that are not inside brackets.

    Examples
    --------
    >>> split_methods("NB, HillClimbing(score=BDeu(ess=2), tabu=5)")
    ['NB', 'HillClimbing(score=BDeu(ess=2), tabu=5)']
    """
    parts, depth, start = [], 0, 0
    for position, character in enumerate(f"{text},"):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or (position == len(text) and depth):
            raise ValueError(f"The brackets of '{text.strip()}' do not match.")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [part for part in parts if part]


def settings_of(texts: Iterable[str] | None) -> dict[str, Any]:
    """Read settings written as ``key=value``.

    Numbers, true, false and none are understood; a learner is given by its name, with settings if need be.

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
        settings[key] = _value(key.rpartition("__")[2], value)
    return settings


def _value(kind: str, text: str) -> Any:
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    if kind in KINDS:
        return named_learner(kind, text)
    if text.endswith(")") and text.partition("(")[0].strip() in learners():
        return _built(text, learners(), f"the setting '{kind}'")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def named_learner(kind: str, value: Any) -> Any:
    """Return the learner of a kind that a text names, with settings in brackets; anything but a text as it is.

    Upper and lower case are the same, and so are words with a hyphen.

    Examples
    --------
    >>> named_learner("structure", "kdb"), named_learner("structure", "KDB(k=3)"), named_learner("structure", None)
    (KDB(), KDB(k=3), None)
    >>> named_learner("structure", "nb"), named_learner("parameters", "maximum-likelihood")
    (NaiveBayes(), MaximumLikelihood())
    """
    return _built(value, learners(kind), f"the setting '{kind}'") if isinstance(value, str) else value


def _built(text: str, known: dict[str, type], what: str) -> Any:
    """Build one of some learners from a text."""
    by_word = {name.lower(): learner for name, learner in known.items()}
    asked, bracket, rest = text.strip().partition("(")
    word = asked.strip().lower().replace("-", "")
    learner = by_word.get(SHORT_NAMES.get(word, word))
    if learner is None or (bracket and not rest.endswith(")")):
        near = get_close_matches(asked.strip().lower(), by_word, 1)
        guess = f" Did you mean '{near[0]}'?" if near else ""
        raise ValueError(
            f"'{short(text)}' is not a learner for {what}.{guess} There are {listing(list(known), 12)}; methods of "
            "papers are built by bl.classifier."
        )
    settings = settings_of(split_methods(rest[:-1]))
    possible = list(inspect.signature(learner).parameters)
    unknown = sorted(set(settings) - set(possible))
    if unknown:
        shown = ", ".join(possible) or "none"
        raise ValueError(f"{learner.__name__} has no setting '{unknown[0]}'; its settings: {shown}.")
    return learner(**settings)


def learner_or_text(kind: str, value: Any) -> Any:
    """Return the learner that a text names; a text that names none stays what it is, to be refused by fit.

    Constructors of estimators raise nothing, as scikit-learn asks.
    """
    try:
        return named_learner(kind, value)
    except ValueError:
        return value


def with_learners(estimator: Any, params: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return parameters for ``set_params``: texts become learners, and settings of learners have one to be set on.

    ``structure__k`` means the learner in ``params``, else that of the estimator, else the one in ``defaults``, which
    has the learner by each setting that holds one; None where there is none.
    """
    ready = dict(params)
    for kind, default in defaults.items():
        if kind in params:
            ready[kind] = learner_or_text(kind, params[kind])
        inner = [key.split("__")[1] for key in params if key.startswith(f"{kind}__")]
        if inner:
            learner = named_learner(kind, ready.get(kind, getattr(estimator, kind)))
            learner = default if learner is None else learner
            for name in inner:
                _check_setting(kind, learner, name)
            ready[kind] = learner
    return ready


def _check_setting(kind: str, learner: Any, name: str) -> None:
    """Refuse a setting that a learner does not have, and say which learners have it."""
    if learner is not None and (not hasattr(learner, "get_params") or name in learner.get_params(deep=False)):
        return
    having = [other for other, known in learners(kind).items() if name in inspect.signature(known).parameters]
    what = (
        f"No learner is set for '{kind}'"
        if learner is None
        else f"{type(learner).__name__} has no setting '{name}'"
    )
    hint = f"; {listing(having)} {'has' if len(having) == 1 else 'have'} it" if having else ""
    raise ValueError(f"{what}{hint}: name one, as in {kind}='{(having or list(learners(kind)))[0]}'.")
