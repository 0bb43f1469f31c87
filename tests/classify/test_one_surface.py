"""All kinds of classifiers have one surface: settings count alike in memory, in the scorer and after loading."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import bayleaf as bl
from bayleaf.page.assemble import page_data
from bayleaf.page.learned import how_learned

MISS = {"yes": {"no": 20.0}}


def table(rows=240):
    rng = np.random.default_rng(0)
    y = rng.random(rows) < 0.4
    X = pd.DataFrame(
        {
            "colour": np.where(rng.random(rows) < 0.3, "red", np.where(y, "blue", "green")),
            "size": np.round(rng.normal(y, 1.0), 2),
            "idle": rng.choice(["u", "v"], rows),
        }
    )
    return X, np.where(y, "yes", "no")


def settings_of(model):
    """Where a model has the settings of reading and deciding."""
    return model if hasattr(model, "loss") else model.estimator


MODELS = {
    "one network": lambda: bl.BayesNetClassifier(),
    "averaged": lambda: bl.AveragedClassifier(estimator=bl.BayesNetClassifier()),
    "averaged classes": lambda: bl.AveragedClassifier(bl.ATAN(), bl.BayesNetClassifier()),
    "bagged": lambda: bl.BaggedClassifier(bl.BayesNetClassifier("nb"), 3, random_state=0),
    "votes": lambda: bl.BaggedClassifier(bl.BayesNetClassifier("nb"), 3, "majority", random_state=0),
    "pool": lambda: bl.NetworkPool(cycles=0, seeds=1),
}


@pytest.fixture(params=MODELS, scope="module")
def fitted(request):
    return MODELS[request.param]().fit(*table())


def reloaded(model, tmp_path):
    model.save(tmp_path / "model.bayleaf.json")
    return bl.load(tmp_path / "model.bayleaf.json")


def test_costs_set_after_fit_count_in_memory_and_after_loading(fitted, tmp_path):
    X, _ = table()
    usual = fitted.predict(X)
    settings_of(fitted).set_params(loss=MISS)
    try:
        dear = fitted.predict(X)
        assert (dear == "yes").sum() > (usual == "yes").sum()
        loaded = reloaded(fitted, tmp_path)
        assert (loaded.predict(X) == dear).all()
        np.testing.assert_array_equal(fitted.scorer()(X), fitted.predict_proba(X))
        assert (loaded.decide(loaded.scorer()(X)) == dear).all()
    finally:
        settings_of(fitted).set_params(loss=None)
    assert (fitted.predict(X) == usual).all()


def test_unknown_categories_are_refused_everywhere_once_that_is_set(fitted, tmp_path):
    X, _ = table()
    strange = X.head(3).assign(colour=["blue", "mauve", "red"])
    with pytest.warns(UserWarning, match="mauve"):
        fitted.predict_proba(strange)
    settings_of(fitted).set_params(unknown="error")
    try:
        for ask in (fitted.predict, fitted.scorer(), reloaded(fitted, tmp_path).predict):
            with pytest.raises(ValueError, match="mauve"):
                ask(strange)
        with pytest.raises(ValueError, match="mauve"):
            fitted.scorer()({"colour": "mauve", "size": 1.0, "idle": "u"})
    finally:
        settings_of(fitted).set_params(unknown="missing")


def test_absent_columns_count_as_missing_everywhere_once_that_is_set(fitted, tmp_path):
    X, _ = table()
    less = X.drop(columns="idle")
    with pytest.raises(ValueError, match="idle"):
        fitted.predict(less)
    settings_of(fitted).set_params(absent_columns="missing")
    try:
        found = fitted.predict_proba(less)
        np.testing.assert_array_equal(found, fitted.predict_proba(X.assign(idle=None)))
        np.testing.assert_array_equal(found, fitted.scorer()(less))
        np.testing.assert_allclose(found, reloaded(fitted, tmp_path).predict_proba(less), rtol=1e-12)
    finally:
        settings_of(fitted).set_params(absent_columns="error")


@pytest.mark.parametrize(
    ("setting", "slip", "right"), [("unknown", "eror", "missing"), ("absent_columns", "mising", "error")]
)
def test_what_is_misspelt_after_fit_is_refused_as_by_fit(fitted, tmp_path, setting, slip, right):
    X, y = table()
    names = (
        "predict",
        "predict_proba",
        "predict_log_proba",
        "encode",
        "explain",
        "log_evidence",
        "typicality",
    )
    asks = {name: [X] for name in names if hasattr(fitted, name)}
    asks |= {"scorer": [], "save": [tmp_path / "m.json"], "fit": [X, y]}
    if isinstance(fitted, bl.BayesNetClassifier | bl.NetworkPool):
        asks["to_sql"] = ["people"]
    settings_of(fitted).set_params(**{setting: slip})
    try:
        for name, given in asks.items():
            with pytest.raises(
                ValueError, match=f"'{setting}' parameter of .* must be a str among .* Got '{slip}'"
            ):
                getattr(fitted, name)(*given)
    finally:
        settings_of(fitted).set_params(**{setting: right})
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize("kind", ["averaged", "bagged", "votes"])
def test_an_estimator_that_is_none_is_refused_after_fit_as_by_fit(kind, tmp_path):
    X, y = table()
    model = MODELS[kind]().fit(X, y).set_params(estimator=3)
    asks = {"predict": [X], "fit": [X, y], "save": [tmp_path / "m.json"], "inspect": [X, y], "scorer": []}
    for name, given in asks.items():
        with pytest.raises(
            TypeError, match=r"'estimator' parameter of \w+ must be a BayesNetClassifier, .* Got 3 "
        ):
            getattr(model, name)(*given)
    assert "estimator=3" in repr(model)


def test_all_kinds_inspect_and_give_logarithms(fitted):
    X, y = table()
    assert fitted.inspect(X, y) == fitted.schema_
    with np.errstate(divide="ignore"):  # shares of votes can be 0
        expected = np.log(fitted.predict_proba(X))
    np.testing.assert_allclose(fitted.predict_log_proba(X), expected, atol=1e-12)


def test_what_was_used_is_an_attribute_that_files_keep(fitted, tmp_path):
    loaded = reloaded(fitted, tmp_path)
    for name in ("structure_", "parameters_", "discretizer_"):
        assert repr(getattr(loaded, name, None)) == repr(getattr(fitted, name, None))
    if not isinstance(fitted, bl.NetworkPool):
        assert hasattr(fitted, "structure_")


def test_a_fit_that_fails_leaves_the_model_as_it_was(fitted):
    X, y = table()
    before = fitted.predict_proba(X)
    with pytest.raises(ValueError, match="contains NaN or None only"):
        fitted.fit(X[["size"]], [None] * len(y))
    assert fitted.n_features_in_ == 3
    np.testing.assert_array_equal(fitted.predict_proba(X), before)


def changed_after_fit(model, tmp_path, **params):
    """A model whose settings of fit were changed after it, and what its file makes of it."""
    X, _ = table()
    before = model.predict_proba(X)
    model.set_params(**params)
    loaded = reloaded(model, tmp_path)
    for each in (model, loaded):
        np.testing.assert_array_equal(each.predict_proba(X), before)
        np.testing.assert_array_equal(each.scorer()(X), before)
        assert (each.predict(X) == each.decide(before)).all()
    return loaded


@pytest.mark.parametrize(("then", "now"), [("average", "majority"), ("majority", "average")])
def test_members_vote_as_they_did_in_fit(then, now, tmp_path):
    X, y = table()
    model = bl.BaggedClassifier(bl.BayesNetClassifier("nb", loss=MISS), 3, then, random_state=0).fit(X, y)
    predicted = model.predict(X)
    loaded = changed_after_fit(model, tmp_path, vote=now)
    assert (model.predict(X) == predicted).all()
    assert loaded.council_.vote == model.council_.vote == then
    for each in (model, loaded):
        data = page_data(each)
        assert data["ensemble"]["vote"] == then
        assert (data["costs"] is None) == (then == "majority")
    assert model.fit(X, y).council_.vote == now


@pytest.mark.parametrize(("then", "now"), [(bl.AODE(), bl.ATAN()), (bl.ATAN(), bl.AODE())])
def test_averaged_networks_answer_as_they_did_in_fit(then, now, tmp_path):
    X, y = table()
    model = bl.AveragedClassifier(then).fit(X, y)
    loaded = changed_after_fit(model, tmp_path, structures=now)
    for each in (model, loaded):
        assert each.vote == each.council_.vote == page_data(each)["ensemble"]["vote"] == then.vote
        assert repr(each.structure_) == repr(then)
        if then.vote == "joint":
            assert np.isfinite(each.log_evidence(X)).all()
        else:
            with pytest.raises(ValueError, match=r"ATAN\(\) averages class probabilities"):
                each.log_evidence(X)
    assert model.fit(X, y).vote == now.vote


def test_what_was_used_stays_what_it_is_when_settings_change(tmp_path):
    X, y = table()
    model = bl.BayesNetClassifier(bl.KDB(k=2), bl.Dirichlet(ess=5), bl.Quantiles(4)).fit(X, y)
    model.set_params(structure__k=1, parameters__ess=1, discretizer__bins=3)
    loaded = reloaded(model.set_params(parameters=bl.Laplace()), tmp_path)
    for each in (model, loaded):
        assert each.structure_.k == 2
        assert each.parameters_.ess == 5
        assert each.discretizer_.bins == 4
        shown = dict(how_learned(each)["settings"])
        assert "bins=4" in shown["discretizer"]
        assert shown["parameters"] == "Dirichlet(ess=5)"
        code = how_learned(each)["python"]
        assert "bl.Dirichlet(ess=5)" in code
        assert "Quantiles(bins=4)" in code or "Quantiles()" in code
    assert loaded.structure.k == 1
    assert isinstance(loaded.parameters, bl.Laplace)


@pytest.mark.parametrize("kind", ["one network", "averaged", "bagged"])
def test_what_was_used_by_default_stays_too(kind, tmp_path):
    X, y = table()
    model = MODELS[kind]().fit(X, y)
    used = [repr(getattr(model, name)) for name in ("structure_", "parameters_", "discretizer_")]
    where = model if kind == "one network" else model.estimator
    where.set_params(parameters=bl.Laplace(), discretizer=bl.MedianSplit())
    loaded = reloaded(model, tmp_path)
    for each in (model, loaded):
        assert [repr(getattr(each, name)) for name in ("structure_", "parameters_", "discretizer_")] == used


@pytest.mark.parametrize("kind", ["averaged", "averaged classes", "bagged"])
def test_members_know_what_was_used(kind, tmp_path):
    model = MODELS[kind]().fit(*table())
    for each in (model, reloaded(model, tmp_path)):
        member = each.estimators_[0]
        assert member.structure_ is not None
        assert repr(member.parameters_) == repr(each.parameters_)
        data = how_learned(member)
        assert data["structure"] == ("NaiveBayes" if kind == "bagged" else "FixedStructure")
        assert "bl.BayesNetClassifier(structure=" in data["python"] or kind == "bagged"


def test_a_batch_names_only_learners_that_made_something():
    X, y = table()
    model = bl.BayesNetClassifier("nb", "laplace", "median-split", relearn_every=None)
    model.partial_fit(X[:120], y[:120], classes=["no", "yes"])
    model.set_params(structure=bl.TAN(), discretizer=bl.EqualWidth(), parameters=bl.Dirichlet())
    model.partial_fit(X[120:], y[120:])
    assert [type(each).__name__ for each in (model.structure_, model.parameters_, model.discretizer_)] == [
        "NaiveBayes",
        "Dirichlet",  # the tables follow every batch
        "MedianSplit",
    ]
    assert isinstance(model.relearn().structure_, bl.TAN)
    assert isinstance(model.discretizer_, bl.MedianSplit)


@pytest.mark.parametrize(("then", "now"), [("state", "auto"), ("auto", "drop")])
def test_batches_keep_their_way_with_gaps_in_files_too(then, now, tmp_path):
    X, y = table()
    chance = np.arange(len(X)) % 7 > 0  # these gaps say nothing of the class
    X = X.assign(colour=X["colour"].where(y == "yes", None), idle=X["idle"].where(chance, None))
    model = bl.BayesNetClassifier("nb", "laplace", missing=then)
    model.partial_fit(X[:120], y[:120], classes=["no", "yes"]).set_params(missing=now)
    loaded = reloaded(model, tmp_path)
    expected = model.partial_fit(X[120:], y[120:]).predict_proba(X)
    found = loaded.partial_fit(X[120:], y[120:])
    assert found.schema_ == model.schema_
    np.testing.assert_array_equal(found.predict_proba(X), expected)
    usual = bl.BayesNetClassifier("nb", "laplace", missing=then)
    usual.partial_fit(X[:120], y[:120], classes=["no", "yes"]).partial_fit(X[120:], y[120:])
    np.testing.assert_array_equal(usual.predict_proba(X), expected)


ARGUMENTS = {
    "score": lambda X, y: (X, y),
    "cross_validate": lambda X, y: (X, y),
    "decide": lambda X, y: (np.full((len(X), 2), 0.5),),
    "to_sql": lambda X, y: ("people",),
    "save": lambda X, y: ("unfitted.json",),
    "report": lambda X, y: (None, None, "unfitted.html"),
    "value_of_information": lambda X, y: ({"size": 1.0},),
}
# These work before fit, or are about settings and rows yet to come.
BEFORE_FIT = {
    *("fit", "fit_from", "fit_table", "learn_table", "partial_fit", "inspect", "check_params"),
    *("check_estimator", "get_params", "set_params", "get_metadata_routing", "name_method", "judging_folds"),
    *("set_fit_request", "set_partial_fit_request", "set_score_request"),
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_method_of_a_model_that_is_not_fitted_says_so(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = table(20)
    model = MODELS[kind]()
    asked = []
    for name in dir(type(model)):
        if (
            name.startswith("_")
            or name in BEFORE_FIT
            or not inspect.isfunction(inspect.getattr_static(type(model), name))
        ):
            continue
        method = getattr(model, name)
        arguments = ARGUMENTS[name](X, y) if name in ARGUMENTS else (X,) if needs_argument(method) else ()
        with pytest.raises(NotFittedError, match=r"is not fitted yet|nothing to learn from again"):
            method(*arguments)
        asked.append(name)
    assert {"predict", "predict_proba", "encode", "scorer", "save", "report", "to_sql"} <= set(asked)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", MODELS)
def test_every_property_of_a_model_that_is_not_fitted_says_so(kind):
    model = MODELS[kind]()
    names = {"discretizer_", "out_of_sample_", "weights_", "levels_"}
    names |= {"functional_dependencies_", "constant_features_"}
    asked = {name for name in names if hasattr(type(model), name)}
    assert asked >= {"discretizer_", "out_of_sample_"}
    for name in asked:
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(model, name)


def test_a_loss_that_is_wrong_is_refused_by_save_as_by_predict(fitted, tmp_path):
    X, _ = table()
    settings_of(fitted).set_params(loss=[[0, 1, 2], [1, 0, 2]])
    try:
        for ask in (lambda: fitted.predict(X), lambda: fitted.save(tmp_path / "model.bayleaf.json")):
            with pytest.raises(ValueError, match="must have one column per class"):
                ask()
    finally:
        settings_of(fitted).set_params(loss=None)
    assert not list(tmp_path.iterdir())


def test_an_attribute_may_be_the_name_of_a_learner():
    X, y = table()
    one, member = bl.BayesNetClassifier(), bl.BayesNetClassifier()
    one.structure = "KDB(k=1)"
    for model in (one, member):
        model.parameters, model.discretizer, model.selector = "laplace", "median-split", "mmpc"
    given = bl.BayesNetClassifier(None, bl.Laplace(), bl.MedianSplit(), bl.MMPC())
    bagged = bl.BaggedClassifier(member, 2, random_state=0).fit(X, y)
    averaged = bl.AveragedClassifier()
    averaged.structures, averaged.estimator = "atan", member
    for found, expected in (
        (
            one.fit(X, y),
            bl.BayesNetClassifier(bl.KDB(k=1)).set_params(**given.get_params() | {"structure": bl.KDB(k=1)}),
        ),
        (bagged, bl.BaggedClassifier(given, 2, random_state=0)),
        (averaged.fit(X, y), bl.AveragedClassifier(bl.ATAN(), given)),
    ):
        np.testing.assert_array_equal(found.predict_proba(X), expected.fit(X, y).predict_proba(X))
        for name in ("structure_", "parameters_", "discretizer_"):
            assert repr(getattr(found, name)) == repr(getattr(expected, name))
    one.selector = None
    assert one.partial_fit(X, y, classes=["no", "yes"]).structure_.k == 1
    one.structure = "kbd"
    for learn in (one.fit, one.partial_fit):
        with pytest.raises(ValueError, match="'kbd' is not a learner for the setting 'structure'"):
            learn(X, y)


def needs_argument(method):
    found = inspect.signature(method).parameters.values()
    return any(each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD for each in found)


@pytest.mark.parametrize("kind", MODELS)
def test_tags_say_why_equal_rows_may_be_more_than_one_row_of_their_weight(kind):
    reasons = get_tags(MODELS[kind]()).expected_failed_checks
    assert "fold" in reasons["check_sample_weight_equivalence_on_dense_data"]
