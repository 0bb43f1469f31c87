"""What notebooks show of classifiers: settings before fit, facts and a drawing after it."""

import sys
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.page.notebook import MOST_NODES, classifier_html
from reference.counted import counted

HOSTILE = "<script>alert('&')</script>"


def card(model, settings=""):
    """What is shown, as a tree: markup that names could break would not parse."""
    return ET.fromstring(classifier_html(model, settings))


def facts(model):
    lines = next(card(model).iter("table")).iter("tr")
    return {"".join(name.itertext()): "".join(said.itertext()) for name, said in lines}


def arcs(model):
    return {
        path.findtext("{*}title") for path in card(model).findall(".//{*}path") if path.get("class") == "arc"
    }


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fitted(iris):
    return bl.BayesNetClassifier().fit(*iris)


def test_before_fit_it_is_the_box_of_scikit_learn(fitted):
    fresh = sklearn.base.clone(fitted)
    for html in (fresh._repr_html_(), fresh._repr_mimebundle_()["text/html"]):
        assert "sk-top-container" in html
        assert "bayleaf-card" not in html


def test_after_fit_it_is_facts_a_drawing_and_the_box_folded_away(iris, fitted):
    for html in (fitted._repr_html_(), fitted._repr_mimebundle_()["text/html"]):
        assert html.startswith('<div class="bayleaf-card"')
        before, _, folded = html.partition("<details")
        assert "sk-top-container" not in before
        assert "sk-top-container" in folded
    found = facts(fitted)
    assert found["Method"] == "TAN(shrunk=True) with TunedTables()"
    assert found["Rows"] == "150"
    assert found["Classes"] == "0 (33.3%), 1 (33.3%), 2 (33.3%)"
    assert found["Features"] == "4"
    assert found["Network"] == f"7 arcs, {fitted.n_parameters_:,} parameters"
    assert found["Held out in fit"] == str(fitted.out_of_sample_)
    assert arcs(fitted) == {f"{parent} → {child}" for parent, child in fitted.network_.arcs}


def test_display_as_text_is_respected(fitted):
    with sklearn.config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert set(fitted._repr_mimebundle_()) == {"text/plain"}


def test_a_published_name_and_a_cross_validation_are_facts(iris):
    X, y = iris
    model = bl.classifier("NB").fit(X, y)
    quality = model.cross_validate(X, y, cv=2)
    found = facts(model.describe(title="Which iris?"))
    assert found["Method"] == "NB"
    assert found["Cross-validated in 2 folds"] == (
        f"log-loss {quality.value('Log-loss'):.3f}, accuracy {quality.value('Accuracy'):.3f}"
    )
    assert card(model).findtext("b") == "Which iris?"


def test_without_a_record_there_are_classes_all_the_same(iris):
    model = counted().fit(*iris)
    del model.training_
    assert facts(model)["Classes"] == "0, 1, 2"


def test_names_are_shown_as_text():
    X = pd.DataFrame({HOSTILE: ["</svg><img src=x onerror=alert(1)>", "b"] * 9, "x": ["<b>", "c"] * 9})
    y = pd.Series(["<i>no", "</table>"] * 9, name="</div>" + HOSTILE)
    models = [
        counted().fit(X, y),
        bl.BaggedClassifier(counted(), n_estimators=2, random_state=0).fit(X, y),
        bl.NetworkPool(cycles=1, seeds=1).fit(X, y),
    ]
    for model in models:
        html = classifier_html(model, "")
        assert "<script" not in html
        assert "<img" not in html
        assert f"</div>{HOSTILE}" in card(model).findtext("b")
        assert facts(model)["Classes"] == "</table> (50.0%), <i>no (50.0%)"
    assert HOSTILE in card(models[0].describe(labels={"x": HOSTILE}, title=HOSTILE)).findtext("b")


def test_of_several_networks_the_common_arcs_are_drawn(iris):
    model = bl.BaggedClassifier(counted(), n_estimators=5, random_state=0).fit(*iris)
    times = {}
    for member in model.estimators_:
        for arc in member.network_.arcs:
            times[frozenset(arc)] = times.get(frozenset(arc), 0) + 1
    drawn = {frozenset(text.split(" → ")) for text in arcs(model)}
    assert drawn == {edge for edge, number in times.items() if number > 2.5}
    assert facts(model)["Networks"] == f"5, {model.n_parameters_:,} parameters"
    assert "more than half of the networks" in classifier_html(model, "")


def test_a_pool_shows_its_strongest_features():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    X = pd.DataFrame({f"f{j}": np.where(rng.random(80) < 0.5 + 0.03 * j, y, 1 - y) for j in range(14)})
    pool = bl.NetworkPool(cycles=1, seeds=1).fit(X, y)
    table = list(card(pool).iter("table"))[1]
    shown = {line[0].text: line[1].text for line in list(table.iter("tr"))[1:]}
    order = np.argsort(-pool.mean_evidence_, kind="stable")[:12]
    assert shown == {f"f{j}": f"{pool.mean_evidence_[j]:.3f}" for j in order}
    assert "... and 2 more features" in classifier_html(pool, "")
    assert facts(pool)["Method"] == "many networks in one score"


def test_large_networks_are_drawn_without_the_arcs_of_the_class_or_not_at_all():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.integers(2, size=(60, MOST_NODES))
    wide = counted().fit(X[:, :20], y)
    assert arcs(wide) == {f"{a} → {b}" for a, b in wide.network_.arcs if a != "class"}
    assert "Left out: 20 arcs from the class" in classifier_html(wide, "")
    huge = counted().fit(X, y)
    assert arcs(huge) == set()
    assert "41 nodes: too many for a small drawing. network_.plot() draws them." in classifier_html(huge, "")


def test_a_model_that_learned_nothing_says_so():
    model = counted(bl.NaiveBayes()).fit([["a"]] * 8, ["no", "yes"] * 4)
    assert "has learned nothing" in classifier_html(model, "")


def test_without_igraph_there_are_facts_alone(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert "The drawing needs igraph" in classifier_html(fitted, "")
    assert facts(fitted)["Rows"] == "150"
