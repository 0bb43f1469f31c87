import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_iris

import bayleaf as bl


@pytest.mark.parametrize("name", [method.name for method in bl.methods()])
def test_every_method_fits_and_predicts(name):
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = bl.classifier(name)
    assert is_classifier(clf)
    # Methods that split numbers at the median cannot do better than 0.82 here.
    assert clf.fit(X, y).score(X, y) >= 0.8


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
    with pytest.raises(ValueError, match="There is no method 'BNC-0P'"):
        bl.classifier("BNC-0P")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"There is no method 'XYZ'. There are NB, TAN"):
        bl.classifier("XYZ")
    with pytest.raises(ValueError, match=r"Did you mean 'RMCV\(NBC\)'\?"):
        bl.classifier("RMCV(NB)")
    with pytest.raises(ValueError, match=r"Settings are given by name, as in classifier\('KDB', k=3\)"):
        bl.classifier("KDB(k=3)")


def test_settings_reach_the_classifier():
    assert bl.classifier("TAN", missing="drop", structure__root="a").structure.root == "a"
    with pytest.raises(ValueError, match=r"'TAN' has no setting \['depth'\]; it has"):
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
        ("TAN-OMI-CMI-ML", "in place of order and score"),
        ("TAN-CR-Ext-ML", "Ext refines order-based searches only"),
        ("2-tree-CMI-ML", "CMI is defined for TAN only"),
        ("0-tree-CR-ML", "structure NB, TAN or K-tree"),
        ("TAN-OMI", "structure NB, TAN or K-tree"),
    ],
)
def test_wrong_four_tag_names_say_what_is_possible(name, why):
    with pytest.raises(ValueError, match=f"'{name}' is no name of the scheme STRUCTURE-ORDER.*{why}"):
        bl.classifier(name)
