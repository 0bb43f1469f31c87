"""Free text: left out unless its words are asked for, and those are chosen from training rows alone."""

import math
import warnings

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data import IdentifierWarning
from bayleaf.data.discretize.discretizer import TrainingRows
from bayleaf.data.raw_columns import object_column
from bayleaf.data.text_words import MOST_WORDS, learn_words, words_of

FILLING = (
    "parcel",
    "late",
    "early",
    "box",
    "street",
    "order",
    "phone",
    "called",
    "asked",
    "again",
    "price",
    "house",
)


def complaints(rows, seed=0, telling=("refund", "thanks")):
    """Remarks, most of which say in one word what the class is."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    remarks = []
    for label in y:
        words = list(rng.choice(FILLING, 6))
        if rng.random() < 0.7:
            words.insert(int(rng.integers(7)), telling[int(label)].upper())
        remarks.append(" ".join(words) + ".")
    return pl.DataFrame({"remarks": remarks, "age": rng.normal(size=rows)}), y


def words_in(model):
    return [variable.spelling for variable in model.schema_.features if variable.part == "word"]


def test_free_text_is_left_out_with_a_note():
    X, y = complaints(200)
    with pytest.warns(
        IdentifierWarning, match=r"'remarks' is left out as free text: column_types={'remarks': 'text'}"
    ):
        model = bl.BayesNetClassifier(structure=bl.NaiveBayes()).fit(X, y)
    assert model.network_.nodes == ("age", "class")
    assert model.schema_.left_out == ([], ["remarks"])
    line = model.schema_.lines()[0]
    assert line.read_as == "text"
    assert "free text" in line.note
    assert model.predict(X.drop("remarks")).shape == (200,)  # what is left out need not be there


def test_texts_of_few_values_or_few_words_are_categories():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = pl.DataFrame(
        {
            "reason": [f"the parcel was number {k} of many" for k in rng.integers(0, 40, 400)],
            "street": [f"street {k}" for k in rng.integers(0, 200, 400)],
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", IdentifierWarning)
        schema = bl.BayesNetClassifier().inspect(X, y)
    assert [line.read_as for line in schema.lines()] == ["category", "category", "class"]


def test_telling_words_become_features_of_any_case_and_missing_texts_say_nothing():
    X, y = complaints(600)
    model = bl.BayesNetClassifier(structure=bl.NaiveBayes(), column_types={"remarks": "text"}).fit(X, y)
    assert sorted(words_in(model)) == ["refund", "thanks"]
    rows = pl.DataFrame({"remarks": ["a refund, please", "THANKS!", None, "refunds"], "age": [0.0] * 4})
    refund, thanks, nothing, other = model.predict_proba(rows)[:, 0]
    assert refund > 0.9
    assert thanks < 0.1
    assert nothing == pytest.approx(model.predict_proba(rows.select("age").with_columns(remarks=None))[0, 0])
    assert model.explain(rows).values[0][-2:] in (["present", "absent"], ["absent", "present"])
    assert other == pytest.approx(model.predict_proba(rows.with_columns(remarks=pl.lit("box")))[0, 0])


def test_single_rows_files_and_scorers_read_words_as_tables_do(tmp_path):
    X, y = complaints(300)
    X = X.with_columns(remarks=pl.when(pl.int_range(300) % 7 == 0).then(None).otherwise("remarks"))
    model = bl.BayesNetClassifier(column_types={"remarks": "text"}).fit(X, y)
    expected = model.predict_proba(X)
    model.save(tmp_path / "model.bayleaf.json")
    scorer = bl.load(tmp_path / "model.bayleaf.json").scorer()
    for k, row in enumerate(X.head(20).to_dicts()):
        assert scorer(row).tolist() == pytest.approx(expected[k].tolist())
        assert model.predict_proba(X[[k]])[0] == pytest.approx(expected[k])
    np.testing.assert_array_equal(bl.load(tmp_path / "model.bayleaf.json").predict_proba(X), expected)


def test_words_are_chosen_in_the_training_rows_of_each_fold():
    # A word of the test rows alone tells their class: who chose from all rows would find it.
    X, y = complaints(400)
    train, test = np.arange(300), np.arange(300, 400)
    leaking = X.with_columns(
        remarks=pl.Series([t + (" leak" if k >= 300 and y[k] else "") for k, t in enumerate(X["remarks"])])
    )
    model = bl.BayesNetClassifier(column_types={"remarks": "text"}).fit(leaking[train], y[train])
    assert "leak" not in words_in(model)
    assert "leak" in words_in(bl.BayesNetClassifier(column_types={"remarks": "text"}).fit(leaking, y))
    from sklearn.model_selection import cross_validate

    folds = cross_validate(
        bl.BayesNetClassifier(column_types={"remarks": "text"}),
        leaking.to_pandas(),
        y,
        cv=[(train, test)],
        return_estimator=True,
        error_score="raise",
    )
    assert "leak" not in words_in(folds["estimator"][0])


def test_chance_alone_chooses_no_words():
    chosen = 0
    for seed in range(10):
        X, _ = complaints(300, seed)
        y = np.random.default_rng(100 + seed).integers(0, 2, 300)
        chosen += len(
            learn_words(object_column("remarks", X["remarks"].to_list()), "remarks", TrainingRows(y))
        )
    assert chosen <= 1


def test_words_are_ranked_by_their_information():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 500)
    vocabulary = [f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(80)]
    has = rng.random((500, 80)) < 0.15 + 0.5 * (np.arange(80) % 3 == y[:, None]) * np.linspace(0.4, 1, 80)
    texts = [
        " ".join(word for word, is_there in zip(vocabulary, row, strict=True) if is_there) for row in has
    ]
    found = learn_words(object_column("t", texts), "t", TrainingRows(y))
    assert len(found) == MOST_WORDS

    def information(word):
        column = has[:, vocabulary.index(word)]
        counts = np.array([[np.sum((column == c) & (y == k)) for k in range(3)] for c in (False, True)])
        total = counts.sum()
        return sum(
            counts[i, k] / total * math.log(counts[i, k] * total / (counts[i].sum() * counts[:, k].sum()))
            for i in range(2)
            for k in range(3)
            if counts[i, k]
        )

    gains = [information(variable.spelling) for variable in found]
    assert gains == sorted(gains, reverse=True)
    assert min(gains) >= max(
        information(word) for word in vocabulary if f"t: {word}" not in {v.name for v in found}
    )


def test_weights_count_as_rows_and_streams_find_the_same_words():
    X, y = complaints(300)
    types = {"remarks": "text"}
    twice = bl.BayesNetClassifier(column_types=types).fit(pl.concat([X, X]), np.concatenate([y, y]))
    weighted = bl.BayesNetClassifier(column_types=types).fit(X, y, sample_weight=np.full(300, 2.0))
    streamed = bl.BayesNetClassifier(column_types=types).fit_from(X.with_columns(y=pl.Series(y)), target="y")
    assert words_in(twice) == words_in(weighted)
    assert words_in(streamed) == words_in(bl.BayesNetClassifier(column_types=types).fit(X, y))


def test_notes_say_which_words_there_are():
    X, y = complaints(300)
    clf = bl.BayesNetClassifier(column_types={"remarks": "text"})
    assert clf.inspect(X, y).lines()[0].note == "2 words of it"
    assert clf.inspect(X, np.tile([0, 1], 150)).lines()[0].note == "no word tells enough about the class"
    assert clf.inspect(X).lines()[0].note == "words are chosen when the class is known"


def test_numbers_are_no_text():
    X, y = complaints(100)
    with pytest.raises(ValueError, match="Column 'age' is said to hold text, but holds float values"):
        bl.BayesNetClassifier(column_types={"age": "text"}).fit(X.select("age"), y)


def test_exports_say_that_they_cannot_find_words():
    X, y = complaints(300)
    model = bl.BayesNetClassifier(column_types={"remarks": "text"}).fit(X, y)
    with pytest.raises(ValueError, match="'remarks' is free text, whose words a query cannot find"):
        model.to_sql("rows")


def test_words_of_a_text():
    assert words_of("Ärger über 2 Straßen, x-ray 007") == {"ärger", "über", "straßen", "ray"}


@pytest.mark.parametrize("missing", ["auto", "available", "impute"])
def test_a_text_without_a_character_of_a_word_is_missing(missing):
    X, y = complaints(300)
    empty = pl.int_range(300) % 7 == 0
    blank, gap = (
        X.with_columns(remarks=pl.when(empty).then(pl.lit(text)).otherwise("remarks")) for text in ("", None)
    )
    model = bl.BayesNetClassifier(column_types={"remarks": "text"}, missing=missing).fit(gap, y)
    same = bl.BayesNetClassifier(column_types={"remarks": "text"}, missing=missing).fit(blank, y)
    expected = model.predict_proba(gap)
    np.testing.assert_array_equal(same.predict_proba(gap), expected)
    np.testing.assert_array_equal(model.predict_proba(blank), expected)
    for text in ("", " - ", "?!"):  # a row alone is read in a way of its own
        row = {"remarks": text, "age": gap["age"][0]}
        assert model.scorer()(row).tolist() == pytest.approx(expected[0].tolist())
        assert model.predict_proba(pl.DataFrame([row]))[0] == pytest.approx(expected[0])


def test_texts_that_tell_nothing_are_not_called_identifiers():
    X, y = complaints(40, telling=("box", "box"))
    texts = X.select("remarks")
    only = bl.BayesNetClassifier(column_types={"remarks": "text"})
    with pytest.raises(ValueError, match=r"free text \('remarks'\) tells enough about the class\. Give"):
        only.fit(texts, y)
    with_key = texts.with_columns(key=pl.Series([f"A{k:05}" for k in range(40)]))
    with pytest.raises(ValueError, match="the class, and the other columns look like identifiers"):
        only.fit(with_key, y)
