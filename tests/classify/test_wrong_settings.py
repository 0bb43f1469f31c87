"""Every setting of every learner and classifier is checked: one that is no setting at all is refused by what fits."""

import inspect

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.learn.register import learners

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (60, 4)).astype(str)
NUMBERS = RNG.normal(size=(60, 3))
Y = (X[:, 0] == X[:, 1]).astype(int)
WITHIN = {
    "structure": lambda learner: bl.BayesNetClassifier(learner, "laplace").fit(X, Y),
    "structures": lambda learner: bl.AveragedClassifier(learner).fit(X, Y),
    "parameters": lambda learner: bl.BayesNetClassifier("tan", learner).fit(X, Y),
    "discretizer": lambda learner: bl.BayesNetClassifier("tan", "laplace", learner).fit(NUMBERS, Y),
    "selector": lambda learner: bl.BayesNetClassifier("tan", "laplace", selector=learner).fit(X, Y),
    "test": lambda learner: bl.BayesNetClassifier("tan", "laplace", selector=bl.MMPC(learner)).fit(X, Y),
    "score": lambda learner: bl.BayesNetClassifier(bl.HillClimbing(learner), "laplace").fit(X, Y),
}
CLASSIFIERS = (bl.AveragedClassifier, bl.BaggedClassifier, bl.BayesNetClassifier, bl.NetworkPool)


class Nonsense:
    """No setting of anything."""


@pytest.mark.parametrize(
    ("kind", "learner", "setting"),
    [
        (kind, learner, setting)
        for kind in WITHIN
        for learner in learners(kind).values()
        for setting in inspect.signature(learner).parameters
    ],
)
@pytest.mark.parametrize("wrong", ["nonsense", Nonsense()], ids=["text", "object"])
def test_a_learner_refuses_nonsense(kind, learner, setting, wrong):
    with pytest.raises((TypeError, ValueError), match=r"must be|cannot|is not a feature"):
        WITHIN[kind](learner(**{setting: wrong}))


@pytest.mark.parametrize(
    ("kind", "setting"),
    [(kind, setting) for kind in CLASSIFIERS for setting in inspect.signature(kind).parameters],
)
@pytest.mark.parametrize("wrong", ["nonsense", Nonsense()], ids=["text", "object"])
def test_a_classifier_refuses_nonsense(kind, setting, wrong):
    with pytest.raises((TypeError, ValueError), match=setting):
        kind(**{setting: wrong}).fit(X, Y)


@pytest.mark.parametrize("selector", [bl.MMPC, bl.HITONPC, bl.PCMB])
def test_a_test_of_independence_and_symmetry_are_checked(selector):
    name = selector.__name__
    message = (
        rf"^The 'test' parameter of {name} must be an object with a method 'test', such as bayleaf\.G2\(\)\. "
    )
    for wrong in ("G2", bl.G2, 3):
        for fitted in (selector(test=wrong), bl.BayesNetClassifier(selector=selector(test=wrong))):
            with pytest.raises(TypeError, match=message):
                fitted.fit(X, Y)
    with pytest.raises(
        TypeError, match=rf"^The 'symmetric' parameter of {name} must be a bool\. Got 'nonsense'"
    ):
        selector(symmetric="nonsense").fit(X, Y)


@pytest.mark.parametrize("selector", learners("selector").values())
def test_the_random_state_of_a_selector_is_checked(selector):
    message = rf"^The 'random_state' parameter of {selector.__name__} must be an int or .* Got 'nonsense' instead\.$"
    for fitted in (
        selector(random_state="nonsense"),
        bl.BayesNetClassifier(selector=selector(random_state="nonsense")),
    ):
        with pytest.raises(TypeError, match=message):
            fitted.fit(X, Y)


def test_a_selector_needs_no_random_state():
    class Both(bl.learn.selection.Selector):
        def __init__(self, first=0):
            self.first = first

        def select(self, table, rng):
            self.check_params()
            return table.features[self.first : self.first + 2]

    assert Both().fit(X, Y).support_.tolist() == [True, True, False, False]
    assert set(bl.BayesNetClassifier("nb", selector=Both(1)).fit(X, Y).network_.nodes) == {
        "x1",
        "x2",
        "class",
    }


@pytest.mark.parametrize("wrong", ["x", bl.MDLP, 3])
def test_what_cuts_the_other_columns_is_checked(wrong):
    message = (
        r"^The 'others' parameter of Cuts must be an object with a method 'cut_points', such as bayleaf\.MDLP"
    )
    for fitted in (
        bl.Cuts({"x0": [0.0]}, wrong),
        bl.BayesNetClassifier(discretizer=bl.Cuts({0: [0.0]}, wrong)),
    ):
        with pytest.raises(TypeError, match=message):
            fitted.fit(NUMBERS, Y)


@pytest.mark.parametrize("kind", [bl.AveragedClassifier, bl.BayesNetClassifier, bl.NetworkPool])
def test_the_random_state_of_a_classifier_is_checked(kind):
    with pytest.raises(
        TypeError, match=rf"^The 'random_state' parameter of {kind.__name__} must be an int or .*'one'"
    ):
        kind(random_state="one").fit(X, Y)
    with pytest.raises(
        ValueError, match=r"'random_state' .* in the range \[0, inf\) or None\. Got -1 instead\.$"
    ):
        kind(random_state=-1).fit(X, Y)


@pytest.mark.parametrize("setting", ["half_life", "relearn_every"])
def test_settings_of_partial_fit_are_checked_by_fit_too(setting):
    with pytest.raises(
        ValueError, match=f"^The '{setting}' parameter of BayesNetClassifier must be .* Got 0 instead"
    ):
        bl.BayesNetClassifier(**{setting: 0}).fit(X, Y)
