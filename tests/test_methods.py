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
    assert clf.fit(X, y).score(X, y) > 0.8


def test_names_are_found_in_any_case():
    assert repr(bl.classifier("tan")) == repr(bl.classifier("TAN"))


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"There is no method 'XYZ'; there are NB, TAN"):
        bl.classifier("XYZ")


def test_settings_reach_the_classifier():
    assert bl.classifier("TAN", missing="drop", structure__root="a").structure.root == "a"
    with pytest.raises(ValueError, match=r"'TAN' has no setting \['depth'\]; it has"):
        bl.classifier("TAN", depth=3)


def test_the_table_prints_and_exports():
    table = bl.methods()
    assert "Friedman" in repr(table)
    assert table.to_frame("pandas")["name"].tolist() == [method.name for method in table]
