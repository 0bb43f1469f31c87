"""What a fitted model says of its training, in a line."""

from sklearn.datasets import load_breast_cancer

import bayleaf as bl


def test_a_record_is_told_in_a_line():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    clf = bl.BayesNetClassifier(bl.HillClimbing(bl.BIC())).fit(X, y)
    search = clf.training_.search
    assert len(search.steps) > 10
    text = repr(clf.training_)
    assert text.startswith("<TrainingRecord rows=569 classes=2 date=")
    assert (
        f"search=<{len(search.steps)} steps, BIC() from {search.start_score:.6g} to {search.score:.6g}>"
        in text
    )
    assert "cross_validated" not in text
    assert len(text) < 200
    clf.cross_validate(X, y, cv=2)
    assert "cross_validated=<2 folds>" in repr(clf.training_)


def test_a_record_without_a_search_names_none():
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit([["a"], ["b"]], [0, 1])
    assert "search" not in repr(clf.training_)
