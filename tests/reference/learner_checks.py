"""Those checks of scikit-learn that reach the learners of a classifier."""

from contextlib import nullcontext
from typing import Any

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

# The others look at what all settings of a classifier share: how it reads tables, its names, its messages.
REACHING = frozenset(
    {
        "check_class_weight_classifiers",
        "check_classifiers_one_label",
        "check_classifiers_one_label_sample_weights",
        "check_classifiers_train",
        "check_dict_unchanged",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_sample_weight_equivalence_on_dense_data",
    }
)


def check_learners(
    classifier: Any, but: frozenset[str] = frozenset(), failing: frozenset[str] = frozenset()
) -> None:
    """Run the checks that reach the learners, ``but`` not those named; those ``failing`` have to fail.

    The default settings pass every check.
    """
    run = set()
    for estimator, check in estimator_checks_generator(classifier):
        name = check.func.__name__
        if name in REACHING - but:
            with pytest.raises(AssertionError) if name in failing else nullcontext():
                check(clone(estimator))
            run.add(name)
    assert run == REACHING - but
