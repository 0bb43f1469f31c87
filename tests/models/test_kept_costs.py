"""A loaded model decides as the saved one did, however its costs were given."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayleaf as bl

COSTS = [[0.0, 1.0], [20.0, 0.0]]


def by_rule(truth, decision):
    return 0 if truth == decision else {"no": 1, "yes": 20}[truth]


LOSSES = {
    "function": by_rule,
    "array": np.array(COSTS),
    "pandas": pd.DataFrame([[0, 20], [1, 0]], index=["yes", "no"], columns=["yes", "no"]),
    "polars": pl.DataFrame({"truth": ["yes", "no"], "yes": [0, 1], "no": [20, 0]}),
}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice(["a", "b", "c"], 90), "z": rng.choice(["u", "v"], 90)})
    return frame, np.where((frame["x"] == "a") ^ (rng.random(90) < 0.3), "yes", "no")


def save_and_load(model, folder):
    model.save(folder / "m.json")
    return bl.load(folder / "m.json")


@pytest.mark.parametrize("name", LOSSES)
def test_a_loaded_model_decides_by_the_same_costs(data, name, tmp_path):
    X, y = data
    clf = bl.BayesNetClassifier(loss=LOSSES[name]).fit(X, y)
    assert (clf.predict(X) != bl.BayesNetClassifier().fit(X, y).predict(X)).any()
    loaded = save_and_load(clf, tmp_path)
    assert (loaded.predict(X) == clf.predict(X)).all()
    assert loaded.loss == COSTS
    assert (loaded.fit(X, y).predict(X) == clf.predict(X)).all()


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_a_loaded_ensemble_decides_by_the_same_costs(data, vote, tmp_path):
    X, y = data
    member = bl.BayesNetClassifier(bl.NaiveBayes(), loss=by_rule)
    clf = bl.BaggedClassifier(member, n_estimators=3, vote=vote, random_state=0).fit(X, y)
    assert (save_and_load(clf, tmp_path).predict(X) == clf.predict(X)).all()


def test_costs_of_a_score_are_kept_too(data, tmp_path):
    score = bl.CrossValidatedRisk(loss=LOSSES["pandas"])
    clf = bl.BayesNetClassifier(bl.HillClimbing(score), random_state=0).fit(*data)
    loaded = save_and_load(clf, tmp_path)
    assert loaded.structure.score.loss == COSTS
    assert loaded.fit(*data).network_.arcs == clf.network_.arcs


class Lines:
    """A learner that bayleaf does not know, and that has much to say of itself."""

    def __repr__(self):
        return "Lines(\n" + "  many\n" * 200 + ")"

    def learn(self, table, rng):
        return bl.NaiveBayes().learn(table, rng)


def test_save_says_once_and_in_a_line_what_a_file_cannot_hold(data, tmp_path):
    clf = bl.BayesNetClassifier(Lines(), random_state=np.random.default_rng(0)).fit(*data)
    with pytest.warns(UserWarning, match="A model file cannot hold") as caught:
        clf.save(tmp_path / "m.json")
    (warning,) = caught
    text = str(warning.message)
    assert text.startswith("A model file cannot hold random_state=Generator(PCG64)")
    assert " or structure=Lines( many many" in text
    assert "\n" not in text
    assert len(text) < 500
    assert warning.filename == __file__
