"""Structures whose predictor is their own: it answers, or is refused; the network never answers for it."""

import pickle

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.network import register_predictor
from bayleaf.page.notebook import classifier_html

X = [["a", "u"], ["b", "v"], ["a", "v"], ["b", "u"]] * 10
Y = ["no", "yes", "no", "no"] * 10


class Sharpened:
    """The log-joints of a network, times three."""

    def __init__(self, network):
        self.network = network

    @property
    def nodes(self):
        return self.network.nodes

    @property
    def dag(self):
        return self.network.dag

    def log_joint(self, rows, query, n_jobs=None):
        return 3.0 * self.network.log_joint(rows, query, n_jobs)

    def log_joint_of_row(self, codes, *, complete):
        query = len(self.nodes) - 1
        return 3.0 * self.network.compiled(query).log_joint_of_row(codes, complete=complete)


@register_predictor
class Saved(Sharpened):
    """The same, in model files and on pages too."""

    how = "sharpens its network"
    caution = "The network is shown before it is sharpened."

    def to_dict(self):
        return {"power": 3}

    @classmethod
    def from_dict(cls, data, network):
        if data["power"] != 3:
            raise ValueError("the power is not three")
        return cls(network)


class Sharp(bl.NaiveBayes):
    """Naive Bayes with another predictor."""

    def __init__(self, kind=Sharpened):
        self.kind = kind

    def predictor(self, table, network, parameters):
        return self.kind(network)


def tilted(network):
    """Another network over the same variables."""
    tables = [*network.tables[:-1], np.array([0.1, 0.9])]
    return bl.BayesNet(network.variables, network.dag, tables, network.target)


def fitted(kind):
    return bl.BayesNetClassifier(Sharp(kind), bl.Laplace()).fit(X, Y)


@pytest.mark.parametrize("kind", [Sharpened, Saved, tilted])
def test_it_predicts_scores_and_explains(kind):
    model = fitted(kind)
    plain = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, Y)
    found = model.predict_proba(X)
    assert np.abs(found - plain.predict_proba(X)).max() > 0.01
    np.testing.assert_allclose(model.scorer()({"x0": "a", "x1": "v"}), model.predict_proba([["a", "v"]])[0])
    explanation = model.explain(X)
    np.testing.assert_allclose(explanation.total, explanation.log_odds)
    odds = np.log(found.max(axis=1) / found.min(axis=1))
    np.testing.assert_allclose(explanation.log_odds, odds)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted(Saved))).predict_proba(X), fitted(Saved).predict_proba(X)
    )


class RowsOnly:
    """A predictor without the method for single rows."""

    def __init__(self, network):
        self.nodes, self.dag, self.log_joint = network.nodes, network.dag, network.log_joint


def test_a_predictor_that_cannot_score_single_rows_says_so():
    score = fitted(RowsOnly).scorer()
    with pytest.raises(TypeError, match="cannot score single rows: RowsOnly has no method log_joint_of_row"):
        score({"x0": "a", "x1": "v"})
    np.testing.assert_array_equal(score(X), fitted(RowsOnly).predict_proba(X))


def test_misspelt_needs_are_refused_in_fit():
    class Misspelt(Sharp):
        needs = "pair"

    with pytest.raises(ValueError, match="says needs = 'pair'; it must be one of"):
        fitted(Sharpened).set_params(structure=Misspelt()).fit(X, Y)


ONE_NETWORK = "needs one network for all rows; this model"


@pytest.mark.parametrize("kind", [Sharpened, Saved, tilted])
def test_what_needs_one_network_is_refused(kind, tmp_path):
    model = fitted(kind)
    how = "sharpens its network" if kind is Saved else "predicts by (Sharpened|BayesNet), not by its network"
    asked = (
        lambda: model.sufficient_reason([["a", "u"]]),
        lambda: model.importance(),
        lambda: model.typicality(X),
        lambda: model.log_evidence(X),
        lambda: model.value_of_information({"x0": "a"}),
        lambda: model.save(tmp_path / "m.json", min_count=2),
    )
    for ask in asked:
        with pytest.raises(ValueError, match=rf"{ONE_NETWORK} {how}\."):
            ask()
    if kind is not tilted:
        with pytest.raises(TypeError, match=f"This model {how}, which a query cannot express"):
            model.to_sql("rows")
        with pytest.raises(TypeError, match=f"This model {how}, which an ONNX graph cannot express"):
            model.to_onnx()
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [Sharpened, tilted])
def test_one_that_is_not_registered_is_not_saved_nor_shown(kind, tmp_path):
    model = fitted(kind)
    ensemble = bl.BaggedClassifier(bl.BayesNetClassifier(Sharp(kind), bl.Laplace()), n_estimators=2).fit(X, Y)
    for each in (model, ensemble):
        with pytest.raises(TypeError, match="A model file cannot hold this model, which predicts by"):
            each.save(tmp_path / "m.json")
        with pytest.raises(
            ValueError, match="its answers would differ from this model's: this model predicts by"
        ):
            each.report(X, Y, tmp_path / "m.html")
    assert not any(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:A model file cannot hold", "ignore:The model was fitted with")
def test_a_registered_one_comes_back(tmp_path):
    model = fitted(Saved)
    ensemble = bl.BaggedClassifier(bl.BayesNetClassifier(Sharp(Saved), bl.Laplace()), n_estimators=2).fit(
        X, Y
    )
    for each in (model, ensemble):
        each.save(tmp_path / "m.json")
        again = bl.load(tmp_path / "m.json")
        np.testing.assert_array_equal(again.predict_proba(X), each.predict_proba(X))
        again.report(X, Y, tmp_path / "m.html")
        assert Saved.caution in (tmp_path / "m.html").read_text()


@pytest.mark.filterwarnings("ignore:A model file cannot hold", "ignore:The model was fitted with")
def test_one_that_is_not_known_is_named(tmp_path):
    path = tmp_path / "m.json"
    fitted(Saved).save(path)
    text = path.read_text()
    path.write_text(text.replace('"kind": "Saved"', '"kind": "Blunt"'))
    with pytest.raises(
        ValueError, match="cannot be read: no predictor 'Blunt' is registered; import the module"
    ):
        bl.load(path)
    path.write_text(text.replace('"power": 3', '"power": 2'))
    with pytest.raises(ValueError, match="is damaged: the power is not three"):
        bl.load(path)


def test_only_what_can_be_written_and_read_is_registered():
    with pytest.raises(TypeError, match="Sharpened cannot be registered: it has no method 'to_dict'"):
        register_predictor(Sharpened)


@pytest.mark.parametrize("relearn_every", [1, None])
@pytest.mark.parametrize("kind", [Sharpened, Saved])
def test_it_predicts_after_every_batch(kind, relearn_every):
    model = bl.BayesNetClassifier(Sharp(kind), bl.Laplace(), relearn_every=relearn_every)
    for part in (slice(0, 30), slice(30, 40)):
        model.partial_fit(X[part], Y[part], classes=["no", "yes"])
    assert isinstance(model._predictor, kind)
    np.testing.assert_allclose(model.predict_proba(X), fitted(kind).predict_proba(X))


@pytest.mark.filterwarnings("ignore:A model file cannot hold", "ignore:The model was fitted with")
def test_the_network_does_not_take_over_where_a_file_could_not_hold_the_learner(tmp_path):
    model = bl.BayesNetClassifier(Sharp(Saved), bl.Laplace(), relearn_every=None)
    model.partial_fit(X[:30], Y[:30], classes=["no", "yes"]).save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    with pytest.raises(
        ValueError, match="that this model needs to predict: set relearn_every=1 and structure"
    ):
        loaded.partial_fit(X[30:], Y[30:])
    loaded.set_params(relearn_every=1, structure=Sharp(Saved)).partial_fit(X[30:], Y[30:])
    np.testing.assert_allclose(loaded.predict_proba(X), fitted(Saved).predict_proba(X))


@pytest.mark.parametrize("kind", [Sharpened, Saved, tilted])
def test_a_notebook_says_that_the_network_it_draws_does_not_predict(kind):
    ensemble = bl.BaggedClassifier(bl.BayesNetClassifier(Sharp(kind), bl.Laplace()), n_estimators=2).fit(X, Y)
    for model in (fitted(kind), ensemble):
        shown = classifier_html(model, "")
        assert Saved.caution in shown if kind is Saved else "the network shown is another" in shown
    assert "the network shown is another" not in classifier_html(bl.BayesNetClassifier().fit(X, Y), "")
