"""New rows against the training rows: quiet while nothing changes, and a name for each change that was planted."""

import json
import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.quality.drift_sums import DriftSums

SHRUNK = bl.Shrinkage()


def rows(n, seed, **changed):
    """Numbers and categories that depend on a class, and on one another; some are missing."""
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < changed.get("sick", 0.4)
    town = rng.choice(["Bath", "Ely", "Wells"], n, p=[0.6, 0.3, 0.1])
    road = np.where(
        rng.random(n) < changed.get("repeats", 0.8), town, rng.choice(["Bath", "Ely", "Wells"], n)
    )
    frame = pl.DataFrame(
        {
            "age": rng.normal(50 + 10 * sick + changed.get("older", 0.0), 10, n),
            "dose": rng.normal(1 + sick, 0.8, n),
            "town": town,
            "road": road,
            "smoker": rng.choice(["no", "yes"], n),
        }
    )
    known = rng.random(n) >= changed.get("gaps", 0.1)
    frame = frame.with_columns(pl.when(pl.Series(known)).then(pl.col("smoker")).alias("smoker"))
    wrong = rng.random(n) < changed.get("wrong", 0.0)
    return frame, pl.Series("status", np.where(sick ^ wrong, "sick", "well"))


@pytest.fixture(scope="module")
def model():
    return bl.BayesNetClassifier(parameters=SHRUNK, random_state=0).fit(*rows(1500, 0))


def names(found):
    return {(line.kind, line.name) for line in found.changed}


def test_rows_of_the_same_source_raise_few_alarms():
    alarms = []
    for seed in range(12):
        clf = bl.BayesNetClassifier(parameters=SHRUNK).fit(*rows(400, 100 + seed))
        for n, again in ((50, 0), (300, 1), (2000, 2)):
            X, y = rows(n, 1000 + 10 * seed + again)
            alarms += [clf.drift(X, y).alarm, clf.drift(X).alarm]
    assert sum(alarms) <= 7  # of 72; above that with a probability of .05 where each has one of .05


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"older": 6.0}, ("column", "age")),
        ({"gaps": 0.3}, ("gaps", "smoker")),
        ({"sick": 0.6}, ("classes", "status")),
        ({"repeats": 0.3}, ("dependence", None)),
        ({"wrong": 0.4}, ("dependence", "dose given status")),
    ],
)
def test_a_change_is_named(model, changed, expected):
    kind, name = expected
    found = model.drift(*rows(500, 1, **changed))
    assert found.alarm
    if name is None:
        assert any({"town", "road"} <= set(said.split()) for each, said in names(found) if each == kind)
    else:
        assert expected in names(found)


def test_quality_is_compared_where_fit_held_out_rows(model):
    tuned = bl.BayesNetClassifier().fit(*rows(1500, 0))
    found = tuned.drift(*rows(500, 1, wrong=0.3))
    assert {("quality", "accuracy"), ("quality", "log-loss"), ("quality", "calibration")} <= names(found)
    assert not [line for line in model.drift(*rows(500, 1)).lines if line.kind == "quality"]
    assert not [line for line in tuned.drift(rows(500, 1)[0]).lines if line.kind in ("quality", "classes")]


def test_rows_that_no_column_betrays_are_unusual():
    """Values that go together in training never do so in the new rows; each is as frequent as before."""
    rng = np.random.default_rng(0)
    a = rng.choice(["u", "v"], 600)
    train = pl.DataFrame({"a": a, "b": np.where(rng.random(600) < 0.97, a, "u")})
    y = np.where(a == "u", "no", "yes")
    clf = bl.BayesNetClassifier(parameters=SHRUNK).fit(train, y)
    new = train.with_columns(b=pl.Series(np.where(train["a"].to_numpy() == "u", "v", "u")))
    lines = {(line.kind, line.name): line for line in clf.drift(new).lines}
    assert lines["rows", "unusual rows"].alarm
    assert lines["rows", "unusual rows"].now.startswith("100%")


def test_new_categories_are_counted_and_named(model):
    X, y = rows(300, 3)
    odd = X.with_columns(town=pl.Series(["York", "Hull", *["York"] * 18, *X["town"][20:]]))
    line = next(each for each in model.drift(odd, y).changed if each.kind == "new values")
    assert (line.name, line.now) == ("town", "2 ('York', 'Hull'), in 20 of 300 rows")
    assert line.size == pytest.approx(20 / 300)
    assert not [each for each in model.drift(X, y).lines if each.kind == "new values" and each.alarm]


def test_new_categories_are_compared_where_prediction_refuses_them():
    X, y = rows(600, 3)
    strict = bl.BayesNetClassifier(parameters=SHRUNK, unknown="error").fit(X, y)
    odd = X[:300].with_columns(town=pl.lit("York"))
    assert ("new values", "town") in names(strict.drift(odd, y[:300]))


def test_labels_that_fit_has_not_seen_are_a_change_of_the_classes(model):
    X, y = rows(200, 4)
    found = model.drift(X, pl.Series([*["better"] * 60, *y[60:]]))
    assert ("classes", "status") in names(found)
    with pytest.raises(
        ValueError, match="y has none of the classes of the model: the first row's is 'better'"
    ):
        model.drift(X, ["better"] * 200)


def test_rows_without_a_label_count_for_the_columns_alone(model):
    X, y = rows(300, 5)
    found = model.drift(X, pl.Series([None] * 100 + y[100:].to_list()))
    assert (found.rows, found.labelled) == (300, 200)


def test_batches_add_up_to_the_whole(model):
    X, y = rows(700, 6, older=3.0)
    sums = DriftSums(model)
    for start in range(0, 700, 90):
        sums.add(X[start : start + 90], y[start : start + 90])
    from bayleaf.quality.drift import judged

    whole, parts = model.drift(X, y).to_dict(), judged(sums).to_dict()
    for one, other in zip(whole["lines"], parts["lines"], strict=True):
        assert (one["kind"], one["name"], one["now"]) == (other["kind"], other["name"], other["now"])
        assert one["p_value"] == pytest.approx(other["p_value"], rel=1e-6, abs=1e-12)


def test_a_model_file_keeps_what_rows_are_compared_with(model, tmp_path):
    X, y = rows(400, 7, older=4.0)
    model.save(tmp_path / "m.json")
    assert bl.load(tmp_path / "m.json").drift(X, y).to_dict() == model.drift(X, y).to_dict()
    model.save(tmp_path / "shared.json", min_count=5)
    with pytest.raises(ValueError, match="saved with min_count, without the counts"):
        bl.load(tmp_path / "shared.json").drift(X, y)


@pytest.mark.parametrize(
    "kind", [bl.NetworkPool(cycles=0), bl.AveragedClassifier(), bl.BaggedClassifier(n_estimators=2)]
)
def test_models_of_several_networks_compare_columns(kind):
    clf = kind.fit(*rows(400, 8))
    assert not clf.drift(*rows(400, 9)).alarm
    found = clf.drift(*rows(400, 9, older=8.0))
    assert ("column", "age") in names(found)
    assert "dependence" not in {line.kind for line in found.lines}
    assert "there is no single network" in found.notes[0]


def test_models_of_batches_and_streams():
    X, y = rows(1200, 10)
    online = bl.BayesNetClassifier()
    for start in range(0, 1200, 300):
        online.partial_fit(X[start : start + 300], y[start : start + 300], classes=["sick", "well"])
    streamed = bl.BayesNetClassifier(parameters=SHRUNK).fit_from(
        X.with_columns(y).lazy(), "status", sample_rows=500
    )
    for clf in (online, streamed):
        assert not clf.drift(*rows(500, 11)).alarm
        assert ("column", "age") in names(clf.drift(*rows(500, 11, older=6.0)))
        assert ("gaps", "smoker") in names(clf.drift(*rows(500, 11, gaps=0.4)))


def test_weighted_rows_are_as_many_as_their_effective_number():
    X, y = rows(1000, 12)
    weights = np.random.default_rng(0).choice([0.1, 10.0], 1000)
    counts = bl.BayesNetClassifier(parameters=SHRUNK).fit(X, y, weights).training_.counts
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert counts.scale * counts.weight == pytest.approx(effective)
    assert counts.typical.rows == pytest.approx(effective)


def test_class_weights_are_no_change_of_the_classes():
    balanced = bl.BayesNetClassifier(parameters=SHRUNK, class_weight="balanced").fit(
        *rows(1500, 13, sick=0.1)
    )
    assert not balanced.drift(*rows(500, 14, sick=0.1)).alarm
    assert ("classes", "status") in names(balanced.drift(*rows(500, 14, sick=0.5)))
    X, y = rows(300, 13)
    both = bl.BayesNetClassifier(class_weight="balanced").fit(X, y, np.ones(300))
    with pytest.raises(ValueError, match="fitted with class_weight, to rows that were weighted besides"):
        both.drift(X)


@pytest.mark.parametrize("missing", ["state", "impute", "drop", "available"])
def test_gaps_however_fit_has_taken_them(missing):
    clf = bl.BayesNetClassifier(parameters=SHRUNK, missing=missing).fit(*rows(800, 15))
    same, more = clf.drift(*rows(500, 16)), clf.drift(*rows(500, 16, gaps=0.4))
    assert not same.alarm
    if missing == "drop":
        assert "with gaps, as fit did" in same.notes[0]
    else:
        assert ("gaps", "smoker") in names(more)


def test_few_rows_none_and_columns_without_a_value(model):
    X, y = rows(300, 17)
    assert model.drift(X[:1], y[:1]).rows == 1
    with pytest.raises(ValueError, match="the table is empty"):
        model.drift(X[:0])
    empty = X.with_columns(pl.lit(None, pl.String).alias("town"))
    assert names(model.drift(empty, y)) == {("gaps", "town")}
    with pytest.raises(ValueError, match="town"):
        model.drift(X.drop("town"))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.drift(X, y[:10])
    with pytest.raises(ValueError, match="level"):
        model.drift(X, y, level=0.0)


def test_columns_that_the_model_lacks_now_are_gaps_where_that_is_allowed():
    X, y = rows(400, 18)
    clf = bl.BayesNetClassifier(parameters=SHRUNK, absent_columns="missing").fit(X, y)
    assert ("gaps", "town") in names(clf.drift(X.drop("town"), y))


def test_what_is_found_as_text_frame_and_json(model):
    found = model.drift(*rows(500, 19, older=6.0))
    text = repr(found)
    assert text.startswith("500 new rows, ")
    assert "column age" in text.splitlines()[0]
    frame = found.to_frame("polars")
    assert frame["alarm"].sum() == len(found.changed)
    assert json.loads(json.dumps(found.to_dict()))["alarm"] is True
    assert "<td>age</td>" in found._repr_html_()


def test_the_counts_are_those_of_the_rows(model):
    X, y = rows(1500, 0)
    kept = model.training_.counts
    assert kept.weight == len(y)
    assert kept.columns["town"] == [
        float((X["town"] == state).sum()) for state in model.schema_.features[2].states
    ]
    network = model.network_
    for node, table in enumerate(network.tables):
        counts = kept.family(node, table.shape)
        if network.nodes[node] != "smoker":  # the others have no gaps
            parents = [network.variables[j].name for j in network.dag.parent_indices[node]]
            assert "smoker" in parents or counts.sum() == len(y)


@pytest.mark.parametrize("tables", [bl.Laplace(), bl.Shrinkage(strengths=(8.0,))])
def test_held_out_rows_are_judged_by_tables_without_them(tables):
    """The score of each row is that of a model that was fitted to all others with the same graph."""
    X, y = rows(40, 20, gaps=0.0)
    X = X.select("town", "road")
    graph = bl.FixedStructure([("status", "town"), ("status", "road"), ("town", "road")])
    typical = bl.BayesNetClassifier(graph, tables).fit(X, y).training_.counts.typical
    said = []
    for row in range(40):
        others = [k for k in range(40) if k != row]
        network = bl.BayesNetClassifier(graph, tables).fit(X[others], y[others]).network_
        said.append(
            network.log_likelihood(X[[row]].with_columns(status=pl.Series([None], dtype=pl.String)))[0]
        )
    # The shares of the other classes are those with the row: 1 in 40 of them, at most.
    assert typical.evidence == pytest.approx(np.mean(said), abs=1 / 40)


def test_tables_are_compared_in_pieces(model, monkeypatch):
    X, y = rows(400, 21, older=3.0)
    whole = model.drift(X, y).to_dict()
    monkeypatch.setattr("bayleaf.quality.drift_sums.AT_A_TIME", 70)
    pieces = model.drift(X, y).to_dict()
    assert [line["now"] for line in pieces["lines"]] == [line["now"] for line in whole["lines"]]


def test_a_batch_of_new_classes_alone_is_counted(model):
    X, y = rows(100, 22)
    sums = DriftSums(model)
    sums.add(X[:99], y[:99])
    sums.add(X[99:], ["better"])
    assert sums.labels["better"] == 1


def test_counts_of_another_model_are_refused(model):
    other = bl.BayesNetClassifier(parameters=SHRUNK).fit(rows(300, 23)[0].drop("town"), rows(300, 23)[1])
    mixed = bl.BayesNetClassifier(parameters=SHRUNK).fit(*rows(300, 23))
    mixed.training_ = replace(mixed.training_, counts=other.training_.counts)
    with pytest.raises(ValueError, match="are not those of this model: fit it again"):
        mixed.drift(rows(50, 24)[0])


def test_costs_decide_what_is_right():
    def rows(n, seed):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n)
        return pl.DataFrame({f"x{j}": y + rng.normal(size=n) for j in range(3)}), y

    X, y = rows(600, 1)
    model = bl.BayesNetClassifier(loss=[[0, 1], [5, 0]]).fit(*rows(600, 0))
    lines = {line.name: line for line in model.drift(X, y).lines if line.kind == "quality"}
    assert lines["accuracy"].now == f"{np.mean(model.predict(X) == y):.0%}"
    model.set_params(loss=[[0, 1], [20, 0]])  # for which accuracy was not measured in fit
    names = {line.name for line in model.drift(X, y).lines if line.kind == "quality"}
    assert names - {"surprising classes"} == {"log-loss", "calibration"}


@pytest.fixture(scope="module")
def default():
    return bl.BayesNetClassifier().fit(*rows(1500, 0))


def test_the_default_says_how_typical_rows_are_once_it_is_asked(default):
    """Fit only remembers the rows; who asks, saves or pickles gets what held-out rows say, and no row."""
    clf = bl.BayesNetClassifier().fit(*rows(1500, 0))
    kept = clf.training_.counts.judged
    assert "judged" not in vars(kept)
    copy = pickle.loads(pickle.dumps(clf))
    found = copy.training_.counts.judged
    assert type(found).__name__ == "TypicalRows"
    assert copy.training_ == clf.training_
    X, _ = rows(1500, 0)
    signed = clf.network_.log_likelihood(X.with_columns(status=pl.Series([None] * 1500, dtype=pl.String)))
    # Rows that take part in the tables look a little more typical than the held-out ones.
    assert found.rows == 1500
    assert signed.mean() - 0.1 < found.evidence < signed.mean()


def test_rows_of_the_default_that_no_column_betrays_are_unusual():
    rng = np.random.default_rng(0)
    a, c = rng.choice(["u", "v"], 600), rng.choice(["no", "yes"], 600)
    train = pl.DataFrame({"a": a, "b": np.where(rng.random(600) < 0.97, a, "u"), "c": c})
    clf = bl.BayesNetClassifier().fit(train, np.where(rng.random(600) < 0.9, c, "no"))
    new = train.with_columns(b=pl.Series(np.where(a == "u", "v", "u")))
    lines = {(line.kind, line.name): line for line in clf.drift(new).lines}
    assert lines["rows", "unusual rows"].alarm
    assert not clf.drift(train[:300].with_columns(c=pl.Series(c[300:]))).alarm


def test_classes_that_get_frequent_are_noticed_without_labels(default):
    same, more = default.drift(rows(500, 31)[0]), default.drift(rows(500, 31, sick=0.6)[0])
    assert not same.alarm
    line = next(each for each in more.changed if each.kind == "answers")
    assert line.name == "status"
    likely = default.predict_proba(rows(500, 31, sick=0.6)[0])[:, 0]
    assert abs(line.size) == pytest.approx(likely.mean() - default.out_of_sample_.chances[0][0])
    assert f"{likely.mean():.0%}" in line.now or f"{1 - likely.mean():.0%}" in line.now


def test_answers_that_get_less_sure_are_noticed(default):
    X, _ = rows(500, 32)
    lines = {line.name: line for line in default.drift(X.with_columns(pl.lit(None).alias("dose"))).lines}
    assert lines["certainty"].alarm
    assert lines["certainty"].size > 0


def test_a_few_impossible_labels_are_noticed_where_the_model_is_nearly_sure():
    def sure(n, seed, wrong=0):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n)
        X = pl.DataFrame({f"x{j}": y + rng.normal(0, 0.15, n) for j in range(3)})
        y[:wrong] = 1 - y[:wrong]
        return X, y

    clf = bl.BayesNetClassifier().fit(*sure(1000, 0))
    calm, found = clf.drift(*sure(500, 1)), clf.drift(*sure(500, 1, wrong=8))
    assert not calm.alarm
    assert ("quality", "surprising classes") in names(found)
    line = next(each for each in found.changed if each.name == "surprising classes")
    assert (line.before, line.now) == ("0% with P < 2%", "1.6% with P < 2%")


def test_a_column_and_what_follows_from_it():
    """One column is moved: the dependences in which it takes part name it; a child that moves along follows it."""

    def sized(n, seed, more=0.0, along=True):
        rng = np.random.default_rng(seed)
        size = rng.normal(0, 1, n)
        said = size + more if along else size
        weight = said + rng.normal(0, 0.4, n)
        X = pl.DataFrame({"size": size + more, "weight": weight, "other": rng.normal(0, 1, n)})
        return X, np.where(rng.random(n) < 1 / (1 + np.exp(-X["other"].to_numpy())), "a", "b")

    clf = bl.BayesNetClassifier(parameters=SHRUNK).fit(*sized(2000, 0))
    assert {"size", "weight"} in [set(arc) for arc in clf.network_.arcs]
    alone = {line.name: line for line in clf.drift(sized(500, 1, 0.8, along=False)[0]).changed}
    assert alone["size"].follows == ""
    assert "weight" not in alone
    link = next(line for name, line in alone.items() if "given" in name and "weight" in name)
    assert link.follows == "size"
    found = clf.drift(sized(500, 1, 0.8)[0])
    both = {line.name: line.follows for line in found.changed if line.kind == "column"}
    assert sorted(both.values()) in (["", "size"], ["", "weight"])
    assert f"1 changed: column {next(name for name in both if not both[name])}." in found.verdict
    assert "more follow from these" in found.verdict
    assert "(follows from" in repr(found)


@pytest.mark.parametrize("kind", [bl.BayesNetClassifier(), bl.NetworkPool(cycles=0)])
def test_training_rows_are_recognised_and_their_quality_is_not_judged(kind):
    X, y = rows(300, 0)
    clf = kind.fit(X, y)
    new, labels = rows(100, 33)
    for labelled in (pl.concat([y, labels]), None):
        found = clf.drift(pl.concat([X, new]), labelled)
        assert not found.alarm
        assert any(note.startswith("300 of 400 rows are training rows: ") for note in found.notes)
        assert not [line for line in found.lines if line.kind in ("answers", "quality")]
    assert not [note for note in clf.drift(new, labels).notes if "training rows:" in note]
    assert {line.kind for line in clf.drift(new, labels).lines} >= {"quality"}


def test_notes_agree_with_their_numbers():
    X = pl.DataFrame({"a": np.arange(200) * 1.5})
    y = np.where(np.arange(200) < 100, "no", "yes")
    clf = bl.BayesNetClassifier().fit(X, y)
    assert any(note.startswith("1 of 1 row is a training row: ") for note in clf.drift(X[:1], y[:1]).notes)
    assert any(note.startswith("2 of 2 rows are training rows: ") for note in clf.drift(X[:2], y[:2]).notes)
    pool = bl.NetworkPool(cycles=0).fit(*rows(100, 0))
    notes = pool.drift(rows(100, 1)[0]).notes
    assert any(note.startswith("Neither dependences nor how typical rows are is compared") for note in notes)


def test_short_intervals_are_joined_until_enough_training_rows_are_in_them():
    """Intervals end at training rows, so short ones would differ from new rows more often than chance has it."""
    p_values = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_exponential((200, 8)), rng.integers(0, 2, 200)
        clf = bl.BayesNetClassifier(bl.NaiveBayes(), SHRUNK, bl.Quantiles(30)).fit(X, y)
        lines = clf.drift(rng.standard_exponential((2000, 8))).lines
        p_values += [line.p_value for line in lines if line.kind == "column"]
    assert (np.array(p_values) < 0.05).mean() < 0.07  # .025 of 120; not joined, it is .09
