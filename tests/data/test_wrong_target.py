"""A target that is no class is refused at once, in one sentence that says what it looks like."""

import datetime as dt
import time
import warnings

import pandas as pd
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data.target import refuse_wrong_target
from reference.counted import counted

ROWS = 3_000
ADVICE = (
    r"not like a class: name another column as the target, (group its values|cut it with --bins 4) into a few "
    r"classes, or insist with "
    r"classes='many' \(--set classes=many\)\.$"
)


def texts(number, form):
    return [form(k % number) for k in range(ROWS)]


WRONG = {
    "loan_id": (
        texts(ROWS, "LC{:05d}".format),
        "3,000 different values in 3,000 rows and looks like an identifier",
    ),
    "row": (list(range(ROWS)), "3,000 different values in 3,000 rows and looks like an identifier"),
    "income": ([k % 900 * 50 for k in range(ROWS)], "900 different .* looks like numbers, such as 0"),
    "rate": (texts(21, "{}.5%".format), r"21 different .* looks like numbers, such as '0\.5%'"),
    "price": (texts(400, "${},000".format), r"400 different .* looks like numbers, such as '\$0,000'"),
    "remark": (
        texts(700, "paid {} of the bills".format),
        "700 different .* names or remarks, such as 'paid 0 of",
    ),
    "town": (texts(500, "town{}".format), "500 different .* looks like names,"),
    "day": (
        texts(600, lambda k: f"{dt.date(2020, 1, 1) + dt.timedelta(days=k)}"),
        "600 different .* looks like dates, such as '2020-01-01'",
    ),
}
FEATURE = pl.DataFrame({"x": ["a", "b", "c"] * (ROWS // 3)})


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_target_is_refused_within_a_second(name):
    values, message = WRONG[name]
    start = time.perf_counter()
    for classifier in (bl.BayesNetClassifier(), bl.NetworkPool(), bl.BaggedClassifier()):
        for y in (pl.Series(name, values), pd.Series(values, name=name)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # the sentence is all that is said
                with pytest.raises(ValueError, match=f"^'{name}' has {message}.*{ADVICE}"):
                    classifier.fit(FEATURE, y)
    assert time.perf_counter() - start < 6  # a sixth of a second is usual


def test_so_it_is_in_batches():
    frame = FEATURE.with_columns(pl.Series("rate", WRONG["rate"][0]))
    learner = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage())
    with pytest.raises(ValueError, match=rf"^'rate' has 21 .*{ADVICE}"):
        learner.fit_from(frame, "rate", sample_rows=1_000)
    assert len(learner.set_params(classes="many").fit_from(frame, "rate", sample_rows=1_000).classes_) == 21


@pytest.mark.parametrize(
    "values",
    [
        [k % 50 for k in range(100)],  # not more than 50
        [k % 51 for k in range(510)],  # not more than a tenth
        [f"c{k % 1000}" for k in range(10_000)],
        [f"c{k % 1001}" for k in range(10_010)],  # ten rows each
        texts(20, "{}.5%".format),
        texts(29, str),  # whole numbers may be classes, in texts too
        texts(26, chr),
    ],
)
def test_many_classes_that_recur_are_classes(values):
    refuse_wrong_target(sorted(set(values)), len(values), "y")


@pytest.mark.parametrize(("classes", "rows"), [(51, 509), (1001, 5004)])
def test_where_too_many_begin(classes, rows):
    with pytest.raises(ValueError, match=f"^'y' has {classes:,} different values in {rows:,} rows"):
        refuse_wrong_target([f"c{k}" for k in range(classes)], rows, "y")


def test_who_insists_gets_any_number_of_classes():
    X, y = FEATURE[:600], pl.Series("town", [f"town{k % 200}" for k in range(600)])
    model = counted(bl.NaiveBayes(), classes="many").fit(X, y)
    assert len(model.classes_) == 200
    categories = y.cast(pl.Categorical)  # a type that says so is enough
    assert counted(bl.NaiveBayes()).fit(X, categories).classes_.tolist() == model.classes_.tolist()
    with pytest.raises(ValueError, match="'classes' parameter of BayesNetClassifier must be"):
        counted(classes="few").fit(X, y)
