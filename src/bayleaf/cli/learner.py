"""Building a classifier from a method's name and the options of the command line."""

from collections.abc import Mapping, Sequence
from typing import Any

import bayleaf

from .data import suggestion
from .options import DiscretizerName, MissingWay


def build(
    method: str,
    *,
    discretizer: DiscretizerName = DiscretizerName.MDLP,
    missing: MissingWay = MissingWay.AVAILABLE,
    categorical: Sequence[str] = (),
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Any:
    """Build a method that is ready to fit.

    Examples
    --------
    >>> build("nb", missing=MissingWay.DROP)
    BayesNetClassifier(missing='drop', parameters=Laplace(), structure=NaiveBayes())
    """
    check_method(method)
    wanted: dict[str, Any] = {}
    if discretizer is not DiscretizerName.MDLP:
        wanted["discretizer"] = discretizer.make()
    if missing is not MissingWay.AVAILABLE:
        wanted["missing"] = missing.value
    if categorical:
        wanted["categorical_features"] = list(categorical)
    built = bayleaf.classifier(method, **{**wanted, **(settings or {})})
    if seed is not None and built.get_params(deep=False).get("random_state", 0) is None:
        built.set_params(random_state=seed)
    return built


def check_method(name: str) -> str:
    """Return the registered spelling of a method's name; refuse unknown ones.

    Examples
    --------
    >>> check_method("tan")
    'TAN'
    """
    known = {method.name.lower(): method.name for method in bayleaf.methods()}
    if name.lower() in known:
        return known[name.lower()]
    listed = ", ".join(known.values())
    hint = suggestion(name, list(known.values()))
    guess = f" {hint}" if hint.startswith("Did") else ""
    raise ValueError(f"There is no method '{name}'.{guess} There are {listed}.")
