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


NO_SETTING = "A setting is written key=value, such as k=3. Got '{}'."
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
    _check_brackets(text)
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


def _check_brackets(text: str) -> None:
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
    if depth:
        raise ValueError(f"The brackets of '{short(text.strip())}' do not match.")


def split_methods(text: str) -> list[str]:
    """Split at commas that are not inside brackets.

    Examples
    --------
    >>> split_methods("NB, HillClimbing(score=BDeu(ess=2), tabu=5)")
    ['NB', 'HillClimbing(score=BDeu(ess=2), tabu=5)']
    """
    _check_brackets(text)
    parts, depth, start = [], 0, 0
    for position, character in enumerate(f"{text},"):
        depth += (character in "([{") - (character in ")]}")
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
            raise ValueError(NO_SETTING.format(text))
        if key in settings:
            raise ValueError(f"The setting '{key}' is given twice: give it once.")
        settings[key] = _value(key.rpartition("__")[2], value)
    return settings


def _value(kind: str, text: str) -> Any:
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    if kind in KINDS:
        return named_learner(kind, text)
    if text.endswith(")") and text.partition("(")[0].strip() in learners():
        return _built(text, learners(), kind)
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
    return _built(value, learners(kind), kind) if isinstance(value, str) else value


def _built(text: str, known: dict[str, type], kind: str) -> Any:
    """Build one of some learners from a text, for a setting."""
    name, settings = name_and_settings(text)
    asked, bracket, _ = name.lower().partition("(")  # no settings, so nothing is written key=value
    by_word = {each.lower(): learner for each, learner in known.items()}
    word = asked.strip().replace("-", "")
    learner = by_word.get(SHORT_NAMES.get(word, word))
    if learner is None:
        near = get_close_matches(asked.strip(), by_word, 1)
        guess = f" Did you mean '{near[0]}'?" if near else ""
        raise ValueError(
            f"'{short(text)}' is not a learner for the setting '{kind}'.{guess} There are "
            f"{listing(list(known), 12)}; methods of papers are built by bl.classifier."
        )
    if bracket:
        raise ValueError(NO_SETTING.format(text))
    unknown = sorted(set(settings) - set(inspect.signature(learner).parameters))
    if unknown:
        raise _unknown_setting(learner, unknown[0], kind, known if kind in KINDS else {})
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
        for key in params:
            last = key.rpartition("__")[2]
            if key == kind or (key.startswith(f"{kind}__") and last in KINDS):
                ready[key] = learner_or_text(last, params[key])
        inner = {key.partition("__")[2]: value for key, value in ready.items() if key.startswith(f"{kind}__")}
        if inner:
            learner = named_learner(kind, ready.get(kind, getattr(estimator, kind)))
            learner = default if learner is None else learner
            _check_settings_inside(kind, learner, inner)
            ready[kind] = learner
    return ready


def _check_settings_inside(setting: str, learner: Any, params: dict[str, Any]) -> None:
    """Refuse settings that the learner in a setting, or a learner inside it, does not have."""
    kind = setting.rpartition("__")[2]
    for key, value in params.items():
        name, _, rest = key.partition("__")
        if not hasattr(learner, "get_params"):
            having = _having(learners(kind) if kind in KINDS else {}, name)
            what = "no learner" if learner is None else repr(learner)
            hint = f"; {_have_it(having)}" if having else ""
            known = having or list(learners(kind) if kind in KINDS else learners())
            raise ValueError(
                f"There is {what} in '{setting}' that could have the setting '{name}'{hint}: name one, as in "
                f"{setting}='{known[0]}'."
            )
        if name not in learner.get_params(deep=False):
            raise _unknown_setting(type(learner), name, setting, learners(kind) if kind in KINDS else {})
        if rest:
            inner = params[name] if name in params else getattr(learner, name)
            _check_settings_inside(f"{setting}__{name}", inner, {rest: value})


def _unknown_setting(learner: type, name: str, setting: str, others: dict[str, type]) -> ValueError:
    """Say that a learner has no such setting, and which of the others have it, or else what it has."""
    start, having = f"{learner.__name__} has no setting '{name}'", _having(others, name)
    if having:
        return ValueError(f"{start}; {_have_it(having)}: name one, as in {setting}='{having[0]}'.")
    own = list(inspect.signature(learner).parameters)
    near = get_close_matches(name, own, 1)
    guess = f" Did you mean '{near[0]}'?" if near else ""
    return ValueError(f"{start}; its settings: {', '.join(own) or 'none'}.{guess}")


def _having(known: dict[str, type], name: str) -> list[str]:
    return [other for other, learner in known.items() if name in inspect.signature(learner).parameters]


def _have_it(names: list[str]) -> str:
    return f"{listing(names)} {'has' if len(names) == 1 else 'have'} it"


def set_by_name(estimator: Any, settings: dict[str, Any], what: str, own: Iterable[str] = ()) -> None:
    """Set settings of a method that was built by its name, and of the learners in it; refuse unknown ones.

    Parameters
    ----------
    estimator : estimator
        The settings of an ensemble's members are settings of the method too.
    settings : dict
    what : str
        What the method is called in messages.
    own : iterable of str
        Settings that it has besides those of the estimator.
    """
    params, members = estimator.get_params(deep=False), getattr(estimator, "estimator", None)
    inside = {} if members is None else members.get_params(deep=False)
    places = {}
    for key, value in sorted(settings.items()):
        name = key.partition("__")[0]
        holder = params if name in params else inside
        if name not in holder or not (name == key or name in KINDS or hasattr(holder[name], "set_params")):
            shown = dict.fromkeys([*own, *_in_order(estimator), *_in_order(members)])
            raise ValueError(f"{what} has no setting '{key}'; it has {', '.join(shown)}.")
        places[key if holder is params else f"estimator__{key}"] = value
    estimator.set_params(**places)


def _in_order(estimator: Any) -> list[str]:
    return [] if estimator is None else list(inspect.signature(type(estimator)).parameters)
