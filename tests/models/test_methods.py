import re

import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf._util.params import check_settings
from bayleaf.models.published import find_method


@pytest.mark.parametrize("name", [method.name for method in bl.methods()])
def test_every_method_fits_and_predicts(name):
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = bl.classifier(name)
    assert is_classifier(clf)
    # Methods that split numbers at the median cannot do better than 0.82 here.
    assert clf.fit(X, y).score(X, y) >= 0.8


def test_methods_that_split_numbers_at_the_median_say_so():
    def discretizer(name):
        return getattr(bl.classifier(name), "discretizer", None)

    told = {method.name for method in bl.methods() if "split at the median" in method.summary}
    assert {"ANB-BDeu", "GBN-BDeu", "fsANB-BDeu", "gGBN-BDeu"} <= told
    assert told == {
        method.name for method in bl.methods() if isinstance(discretizer(method.name), bl.MedianSplit)
    }
    assert isinstance(bl.classifier("ANB-BDeu", discretizer=bl.MDLP()).discretizer, bl.MDLP)


def test_methods_keep_the_learners_of_their_papers_whatever_the_default_is():
    for method in bl.methods():
        settings = bl.classifier(method.name).get_params()
        for part in ("discretizer", "parameters"):
            named = [settings[place] for place in (part, f"estimator__{part}") if place in settings]
            assert named, method.name
            assert None not in named, method.name


def test_names_are_found_in_any_case():
    assert repr(bl.classifier("tan")) == repr(bl.classifier("TAN"))


@pytest.mark.parametrize(
    ("short", "full"),
    [("fsANB", "fsANB-BDeu"), ("bnc2p", "BNC-2P"), ("RMCV", "RMCV(NBC)"), ("RMHO-f", "RMHO-f(NBC)")],
)
def test_short_names_mean_the_usual_form(short, full):
    assert repr(bl.classifier(short)) == repr(bl.classifier(full))


def test_the_number_of_parents_is_part_of_the_name():
    assert bl.classifier("bnc-3p").structure.max_parents == 3
    assert repr(bl.classifier("ML-3P")) == repr(bl.classifier("ml-np", n=3))
    assert repr(bl.classifier("BNC-3P-ELR")) == repr(bl.classifier("BNC-2P-ELR", n=3))
    for name in ("BNC-0P", "ML-0P", "ML-3P-ELR", "BNC-3P-MDL"):
        with pytest.raises(ValueError, match=f"There is no method '{name}'"):
            bl.classifier(name)


@pytest.mark.parametrize("name", ["RMCV(NBC)", "RMCV(empty)", "RMHO(NBC)", "RMHO-f(NBC)", "RMHO-ar(empty)"])
def test_costs_are_those_of_the_search_and_of_the_decisions(name):
    costs = [[0, 1], [10, 0]]
    clf = bl.classifier(name, loss=costs)
    assert clf.loss == costs
    assert clf.structure.score.loss == costs
    assert bl.classifier(name).structure.score.loss is None


def test_the_settings_of_every_method_pass_their_own_check():
    found = {method.name: check_settings(bl.classifier(method.name)) for method in bl.methods()}
    assert found == dict.fromkeys(found)
    assert len(found) > 50


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("RMCV(NBC)", {"folds": 1}, "'folds' parameter of CrossValidatedRisk"),
        ("RMHO", {"fraction": 1.5}, "'fraction' parameter of HoldoutRisk"),
        ("BNC-nP", {"n": 0}, "'max_parents' parameter of HillClimbing"),
        ("HGC", {"kappa": 0}, "'kappa' parameter of BDe"),
        ("gGBN-BDeu", {"ess": -1}, "'ess' parameter of BDeu"),
        ("BNC-full", {"sample": 0}, "'rows' parameter of Subsampled"),
        ("KDB", {"k": -1}, "'k' parameter of KDB"),
        ("FKDB", {"k": "x"}, "'k' parameter of FKDB"),
        ("NB-ELR", {"parameters__max_iter": -1}, "'max_iter' parameter of ConditionalLikelihood"),
        ("NB", {"discretizer": bl.Quantiles(bins=1)}, "'bins' parameter of Quantiles"),
        ("NB", {"missing": "ignore"}, "'missing' parameter of BayesNetClassifier"),
        ("TAN-OMI-CR-ML", {"structure__order": "best"}, "'order' parameter of OrderBased"),
        ("TAN-CR-ML", {"structure__score": bl.CrossValidatedRisk}, "GreedyTree cannot search with <class"),
        ("MDL(NBC)", {"structure__score": bl.MDL}, "cannot maximise the class MDL"),
    ],
)
def test_wrong_settings_are_found_without_data(name, settings, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        check_settings(bl.classifier(name, **settings))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("TANN", "Did you mean 'TAN'? See bl.methods() for all."),
        ("KDB3", "Did you mean 'KDB'? See bl.methods() for all."),
        ("2-tree", "Did you mean '2-tree-RO-CR-ML' or '2-tree-RO-CR-CL' or '2-tree-SuperParent-ML'? See bl."),
        ("K2", "Did you mean 'K2(NBC)' or 'K2(empty)'? See"),
        ("Exact", "Did you mean 'GBN-BDeu' or 'ANB-BDeu'? See"),
        ("Naive Bayes", "Did you mean 'NB'? See"),
        ("RMCV(NB)", "Did you mean 'RMCV(NBC)'? See"),
        ("kdb(k=3)s", "Settings are given by name, as in classifier('KDB', k=3)."),
        ("XYZ", "There are NB, TAN, FAN, RTAN, KDB, FKDB, KDB-FD, FKDB-plain and "),
        ("", "There are NB, TAN"),
    ],
)
def test_unknown_names_get_a_short_answer(name, answer):
    with pytest.raises(ValueError, match=re.escape(f"There is no method '{name}'. {answer}")) as caught:
        bl.classifier(name)
    assert len(str(caught.value)) < 170


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("TAN-CR-ML", "training accuracy"),
        ("2-tree-CR-ML", "5-fold cross-validated accuracy"),
        ("3-tree-OMI-CR-CL", "5-fold cross-validated accuracy"),
        ("TAN-CL-ML", "CLL"),
        ("2-tree-CL-ML", "5-fold cross-validated log-loss"),
        ("2-tree-OMI-CRCL-ML", "training accuracy after CL training"),
    ],
)
def test_the_catalogue_names_the_score_that_is_used(name, measure):
    """What the text says is what the search of a fitted model maximised."""
    assert f"best {measure}, " in find_method(name).structure
    X, y = load_iris(return_X_y=True)
    used = bl.classifier(name, random_state=0).fit(X[:, 1:], y).training_.search.measure
    kinds = {
        "training accuracy": "ClassificationRate(",
        "5-fold cross-validated accuracy": "CrossValidatedRisk(folds=5)",
        "CLL": "ConditionalLogLikelihood(",
        "5-fold cross-validated log-loss": "CrossValidatedLogLoss(",
        "training accuracy after CL training": "ClassificationRate(parameters=ConditionalLikelihood(",
    }
    assert used.startswith(kinds[measure])


def test_blanks_around_a_name_do_not_matter():
    assert repr(bl.classifier(" TAN ")) == repr(bl.classifier("TAN"))
    assert repr(bl.classifier("TAN-OMI-CR-CL ")) == repr(bl.classifier("TAN-OMI-CR-CL"))


def test_a_name_is_text():
    with pytest.raises(
        TypeError, match=r"named by a text such as 'TAN'; see bl.methods\(\) for all. Got None"
    ):
        bl.classifier(None)


def test_settings_reach_the_classifier():
    assert bl.classifier("TAN", missing="drop", structure__root="a").structure.root == "a"
    with pytest.raises(ValueError, match=r"'TAN' has no setting 'depth'; it has"):
        bl.classifier("TAN", depth=3)


def test_the_table_prints_and_exports():
    table = bl.methods()
    assert "Friedman" in repr(table)
    assert table.to_frame("pandas")["name"].tolist() == [method.name for method in table]


def test_four_tag_names_are_parsed():
    k_tree = bl.classifier("3-tree-OMISP-CR-Ext-CL")
    assert repr(k_tree.structure) == "OrderBased(k=3, order='omisp', refine=True)"
    assert repr(k_tree.parameters) == "ConditionalLikelihood()"
    assert repr(bl.classifier("TAN-CL-ML").structure) == "GreedyTree(score=ConditionalLogLikelihood())"
    assert repr(bl.classifier("TAN-OMI-CRML-CL")) == repr(bl.classifier("tan-omi-cr-cl"))
    assert repr(bl.classifier("TAN-OMI-CR")) == repr(bl.classifier("TAN-OMI-CR-ML"))
    assert repr(bl.classifier("2-tree-SuperParent").structure) == "SuperParent(k=2)"
    assert repr(bl.classifier("TAN-RO-CR-ML").structure) == "OrderBased(order='random')"
    assert repr(bl.classifier("NB-CL").structure) == "NaiveBayes()"
    assert "ConditionalLikelihood(max_iter=30)" in repr(bl.classifier("TAN-OMI-CRCL-ML").structure)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("TAN-OMI-XX-ML", "structure NB, TAN or K-tree"),
        ("TAN-OMI-CR-EM", "parameters ML or CL"),
        ("TAN-OMI-CMI-ML", "instead of order and score"),
        ("TAN-CR-Ext-ML", "Ext refines order-based searches only"),
        ("2-tree-CMI-ML", "CMI is defined for TAN only"),
        ("0-tree-CR-ML", "structure NB, TAN or K-tree"),
        ("TAN-OMI", "structure NB, TAN or K-tree"),
    ],
)
def test_wrong_four_tag_names_say_what_is_possible(name, why):
    with pytest.raises(ValueError, match=f"'{name}' is not a name of the scheme STRUCTURE-ORDER.*{why}"):
        bl.classifier(name)
