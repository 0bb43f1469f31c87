"""Building a classifier from a method and the options of the command line."""

from collections.abc import Mapping, Sequence
from typing import Any

import bayleaf
from bayleaf._util.params import check_settings

from .options import DiscretizerName, MissingWay
from .specs import MethodSpec


def build(
    method: MethodSpec,
    *,
    discretizer: DiscretizerName | None = None,
    missing: MissingWay = MissingWay.AVAILABLE,
    categorical: Sequence[str] = (),
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Any:
    """Build a method that is ready to fit; ``settings`` count more than those in the method's own brackets.

    Settings that are wrong for any data are refused here, before a file is read or a fold is run.

    Examples
    --------
    >>> build(MethodSpec("NB", {}, "NB"), missing=MissingWay.DROP)
    BayesNetClassifier(missing='drop', parameters=Laplace(), structure=NaiveBayes())
    """
    wanted: dict[str, Any] = {}
    if discretizer is not None:
        wanted["discretizer"] = discretizer.make()
    if missing is not MissingWay.AVAILABLE:
        wanted["missing"] = missing.value
    if categorical:
        wanted["categorical_features"] = list(categorical)
    built = bayleaf.classifier(method.name, **{**wanted, **method.settings, **(settings or {})})
    if seed is not None and built.get_params(deep=False).get("random_state", 0) is None:
        built.set_params(random_state=seed)
    check_settings(built)
    return built
