"""Made the model files of this folder, and what their models predict: ``python make_files.py FOLDER``.

The files are kept as they were written by bayleaf 0.1 (format version 1), so that every later version can be asked to
read them: do not make them again with a newer one. All data follow a rule or are toy data of scikit-learn. Each run
writes the same bytes, but for the day of fit, the versions, and the address in what describes a random_state that no
file can hold.
"""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import bayleaf as bl

expected = {}


# Data. Each returns a table (or an array) and the labels.


def toy(load, columns, rows, step=1):
    """Return some columns, and some rows of every class, of a toy data set."""
    bunch = load(as_frame=True)
    frame = pl.from_pandas(bunch.data).select([bunch.data.columns[j] for j in columns])
    chosen = np.arange(len(frame))[::step][:rows]
    names = [str(name) for name in bunch.target_names]
    return frame[chosen.tolist()], bunch.target.to_numpy()[chosen], names


def iris():
    """Return numbers and three classes with names, the rows in turn."""
    frame, y, names = toy(load_iris, range(4), 150)
    turn = [(i % 3) * 50 + i // 3 for i in range(120)]
    return frame[turn], pl.Series("species", [names[code] for code in y[turn]])


def mixed(rows=120, gaps=0.0, seed=0):
    """Return a column of every kind: text, truth values, numbers, counts, a constant, grades, one without values."""
    rng = np.random.default_rng(seed)
    word = rng.choice(["ä", "b", "<c> d"], rows, p=[0.5, 0.3, 0.2])
    flag = (rng.random(rows) < 0.4) ^ (word == "b")
    number = rng.normal(size=rows).round(3) + flag
    count = rng.integers(0, 4, rows)
    price = (rng.gamma(2.0, 10.0, rows) + 5 * count).round(2)
    grade = np.array(["low", "mid", "high"])[np.digitize(price, [18, 30])]
    grade = np.where(rng.random(rows) < 0.2, "mid", grade)
    columns = {
        "word": word.tolist(),
        "flag": flag.tolist(),
        "number": number.tolist(),
        "count": count.tolist(),
        "price, €": price.tolist(),
        "grade": grade.tolist(),
        "same": ["x"] * rows,
    }
    for values in columns.values():
        holes = rng.random(rows) < gaps
        values[:] = [None if hole else value for value, hole in zip(values, holes, strict=True)]
    frame = pl.DataFrame(columns, schema_overrides={"grade": pl.Enum(["low", "mid", "high"])})
    noise = rng.random(rows) < 0.12
    says = (number + 0.8 * (grade == "high") - 0.5 * (word == "ä") > 0.6) ^ noise
    return frame, pl.Series("buys", np.where(says, "yes", "no").tolist())


def dependent(rows=150, gaps=0.0):
    """Return categories of which some determine others: a month its season, a town its country."""
    rng = np.random.default_rng(7)
    month = rng.integers(0, 6, rows)
    season = np.array(["cold", "mild", "warm"])[month // 2]
    town = rng.choice(["Bonn", "Köln", "Nice", "Lyon"], rows)
    country = np.where(np.isin(town, ["Bonn", "Köln"]), "DE", "FR")
    size = rng.choice(["S", "M", "L"], rows)
    y = np.where((season == "warm") & (country == "FR"), "hot", np.where(size == "S", "small", "usual"))
    y = np.where(rng.random(rows) < 0.15, "usual", y)
    columns = {
        "month": [f"m{code}" for code in month],
        "season": season.tolist(),
        "town": town.tolist(),
        "country": country.tolist(),
        "size": size.tolist(),
    }
    for values in columns.values():
        holes = rng.random(rows) < gaps
        values[:] = [None if hole else value for value, hole in zip(values, holes, strict=True)]
    return pl.DataFrame(columns), pl.Series("kind", y.tolist())


def cancer(columns=(0, 1, 7, 20, 24), rows=140):
    """Return numbers and a class of truth values."""
    frame, y, _ = toy(load_breast_cancer, columns, rows, step=4)
    return frame, pl.Series("benign", [bool(code) for code in y])


def wine(columns=(0, 1, 6, 9, 12)):
    """Return numbers and classes 0, 1, 2."""
    frame, y, _ = toy(load_wine, columns, 90, step=2)
    return frame, pl.Series("maker", [int(code) for code in y])


def digits(rows=150, columns=(10, 20, 21, 28, 36, 42)):
    """Return an array of whole numbers: some points of the digits 1, 4 and 7, in four shades."""
    bunch = load_digits()
    chosen = np.flatnonzero(np.isin(bunch.target, [1, 4, 7]))[:rows]
    return (bunch.data[chosen][:, columns] // 5).astype(np.int64), bunch.target[chosen].astype(np.int64)


# Rows to predict, and what to keep of the answers.


def some_rows(X, *, strange=True):
    """Return rows to predict as plain lists: of the training data, with gaps, and with values never seen."""
    rows = [list(row) for row in (X.rows() if isinstance(X, pl.DataFrame) else X.tolist())]
    n = len(rows)
    picked = [rows[(i * n) // 8] for i in range(8)]
    width = len(rows[0])
    picked += [
        [None if (i + j) % 3 == 0 else value for j, value in enumerate(rows[5 * i + 3])] for i in range(3)
    ]
    picked += [[None] * width]
    if strange:
        other = {str: "never seen", int: 77, float: -1234.5, bool: True}
        for i in range(2):
            row = rows[3 * i + 1]
            picked.append(
                [other.get(type(value), value) if j % 2 == i else value for j, value in enumerate(row)]
            )
    return picked


def plain(X, rows):
    return {"columns": X.columns if isinstance(X, pl.DataFrame) else None, "rows": rows}


def as_data(given):
    """Return the rows as a polars frame, or as an array where columns have no names."""
    if given["columns"] is not None:
        return pl.DataFrame(given["rows"], schema=given["columns"], orient="row", infer_schema_length=None)
    if any(isinstance(value, str) for row in given["rows"] for value in row):
        return np.array(given["rows"], dtype=object)
    return np.array(given["rows"], dtype=float)


def answers(model, data):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Column .* not seen in fit")
        return {"predict_proba": model.predict_proba(data).tolist(), "predict": model.predict(data).tolist()}


def facts(model):
    networks = [each.network_ for each in getattr(model, "estimators_", [model])]
    record = model.training_
    return {
        "arcs": [[list(arc) for arc in network.arcs] for network in networks],
        "n_parameters": int(model.n_parameters_),
        "classes": model.classes_.tolist(),
        "training": {
            "rows": record.rows,
            "weight": record.weight,
            "class_weights": list(record.class_weights),
            "missing": record.missing,
            "log_likelihood": record.log_likelihood,
            "steps": None if record.search is None else len(record.search.steps),
            "cross_validated": None
            if record.cross_validated is None
            else {each["name"]: each["value"] for each in record.cross_validated.measures},
            "table_read": record.table_read,
        },
    }


def assert_rows_differ(model, X):
    """Make sure that some of the rows to predict have parents of their own."""
    target = model.network_.target
    network = [
        model.network_.posterior(target, dict(zip(X.columns, row, strict=True))) for row in some_rows(X)[:8]
    ]
    own = model.predict_proba(X[[(i * len(X)) // 8 for i in range(8)]])
    assert (abs(own - np.array([list(each.values()) for each in network])) > 1e-6).any()


def keep(folder, name, model, X, *, covers, strange=True, warns=None):
    """Save a fitted model, and what it says in this process."""
    path = folder / name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if warns else "error")
        model.save(path)
    given = plain(X, some_rows(X, strange=strange))
    expected[name] = {
        "covers": covers,
        "reader": "load",
        "kind": type(model).__name__,
        "warns": warns,
        "refuses_unknown": not strange,
        **given,
        **answers(model, as_data(given)),
        **facts(model),
    }


def keep_network(folder, name, network, reader, *, covers):
    """Save a network alone, and what it says about its class."""
    network.save(folder / name) if reader == "load_network" else network.to_bif(folder / name)
    questions = [{}]
    for k in range(6):
        given = [variable for j, variable in enumerate(network.variables[:-1]) if (j + k) % 3]
        questions.append({v.name: v.states[(k + j) % v.arity] for j, v in enumerate(given)})
    target = network.nodes[-1]
    read = network if reader == "load_network" else bl.read_bif(folder / name)  # states of BIF are texts
    questions = [
        {key: state if reader == "load_network" else str(state) for key, state in question.items()}
        for question in questions
    ]
    expected[name] = {
        "covers": covers,
        "reader": reader,
        "kind": "BayesNet",
        "warns": None,
        "asks": target,
        "evidence": questions,
        "posteriors": [list(read.posterior(target, question).values()) for question in questions],
        "tables": [table.tolist() for table in network.tables],
        "arcs": [[list(arc) for arc in network.arcs]],
        "n_parameters": int(network.n_parameters),
    }


# The files.


def plain_learners(folder):
    X, y = iris()
    array = X.to_numpy()
    codes = np.array([["setosa", "versicolor", "virginica"].index(label) for label in y])
    model = bl.BayesNetClassifier(discretizer=bl.MDLP(max_bins=4)).fit(array, codes)
    model.cross_validate(array, codes, cv=3)
    covers = (
        "the default (TAN, Dirichlet), MDLP; an array without names; classes 0, 1, 2; cross-validation kept"
    )
    keep(folder, "tan_array.bayleaf.json", model, array, covers=covers)

    X, y = mixed(gaps=0.1)
    X = X.with_columns(nothing=pl.Series([None] * len(X), dtype=pl.Null))
    weights = 0.5 + np.arange(len(y)) % 4 * 0.75
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), bl.Quantiles(4), n_jobs=1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Column 'nothing' has no values")
        model.fit(X, y, sample_weight=weights)
    covers = "NaiveBayes, Laplace, Quantiles; weights; missing values, a constant and an empty column; n_jobs"
    keep(folder, "nb_weights.bayleaf.json", model, X, covers=covers)

    X, y = mixed(gaps=0.06, seed=1)
    structure = bl.TAN(
        "number", required=[("word", "flag")], forbidden=[("number", "grade"), ("flag", "count")]
    )
    cuts = bl.Cuts({"number": [0.0, 1.25]}, others=bl.EqualWidth(3))
    model = bl.BayesNetClassifier(
        structure,
        bl.MaximumLikelihood(0.01),
        cuts,
        categorical_features=["count"],
        missing="drop",
        unknown="error",
    ).fit(X, y)
    covers = "TAN with root, required and forbidden arcs; Cuts with others; MaximumLikelihood; drop; unknown='error'"
    keep(folder, "tan_arcs_cuts.bayleaf.json", model, X, covers=covers, strange=False)

    X, y = mixed(gaps=0.15, seed=2)
    model = bl.BayesNetClassifier(
        bl.FAN(threshold=0.03, root="word"),
        bl.Dirichlet(4.0),
        bl.EqualWidth(4),
        missing="impute",
        categorical_features=np.array([name == "count" for name in X.columns]),
    ).fit(X, y)
    covers = "FAN with threshold and root; EqualWidth; Dirichlet(4); impute; categories by a mask"
    keep(folder, "fan_impute.bayleaf.json", model, X, covers=covers)

    X, y = mixed(100, seed=3)
    dag = bl.DAG(["buys", "word", "flag", "number"], [("buys", "number"), ("word", "buys"), ("buys", "flag")])
    model = bl.BayesNetClassifier(bl.FixedStructure(dag), loss=[[0.0, 1.0], [6.0, 0.0]]).fit(X, y)
    covers = "FixedStructure of a DAG in which the class has a parent; features without arcs; a loss matrix"
    keep(folder, "fixed_loss.bayleaf.json", model, X, covers=covers)
    keep_network(folder, "network.json", model.network_, "load_network", covers="a network alone")
    keep_network(folder, "network.bif", model.network_, "read_bif", covers="the same network in BIF")


def rows_with_their_own_parents(folder):
    X, y = dependent()
    model = bl.BayesNetClassifier(bl.KDB(2, True, min_count=12, smoothing=1.0), bl.Laplace()).fit(X, y)
    assert_rows_differ(model, X)
    covers = "KDB with functional dependencies: a network per row; packed"
    keep(folder, "kdb_dependencies.bayleaf.json.gz", model, X, covers=covers)

    X, y = dependent(140, gaps=0.05)
    columns = ["month", "season", "country", "size"]
    model = bl.classifier("FKDB-FD", k=2, min_count=8, missing="available").fit(X.select(columns), y)
    assert_rows_differ(model, X.select(columns))
    covers = "FKDB-FD by name: a network per row, missing values"
    keep(folder, "fkdb_dependencies.bayleaf.json", model, X.select(columns), covers=covers)

    X, y = digits()
    model = bl.classifier("FKDB", k=2, categorical_features=[0, 1, 2, 3]).fit(X, y)
    covers = "FKDB by name, an array of whole numbers, categories by position; classes 1, 4, 7"
    keep(folder, "fkdb_integers.bayleaf.json", model, X, covers=covers)


def learners_for_the_class(folder):
    X, y = cancer()
    structure = bl.OrderBased(
        list(X.columns)[::-1], k=2, score=bl.ClassificationRate(bl.Laplace()), refine=True
    )
    parameters = bl.ConditionalLikelihood(30, "penalty", l2=0.5, start=bl.MaximumLikelihood(0.001))
    model = bl.BayesNetClassifier(structure, parameters, bl.MedianSplit(), random_state=0).fit(X, y)
    covers = "OrderBased with an order, a score and refine; ConditionalLikelihood; MedianSplit; classes False, True"
    keep(folder, "order_based_bool.bayleaf.json", model, X, covers=covers)

    model = bl.BayesNetClassifier(
        bl.SuperParent(2, bl.ConditionalLogLikelihood(bl.Laplace())),
        bl.Subsampled(bl.ConditionalLikelihood(max_iter=5, stopping="converged"), rows=60, seed=3),
        bl.Quantiles(3),
        random_state=1,
    ).fit(X, y)
    covers = "SuperParent(2) on conditional log-likelihood; Subsampled"
    keep(folder, "superparent_subsampled.bayleaf.json", model, X, covers=covers)

    X, y = wine()
    score = bl.CrossValidatedLogLoss(4, bl.Dirichlet(2.0))
    model = bl.BayesNetClassifier(bl.GreedyTree(1, score), bl.Dirichlet(0.5), random_state=2).fit(X, y)
    covers = "GreedyTree on cross-validated log-loss; integer labels with a name"
    keep(folder, "greedy_tree.bayleaf.json", model, X, covers=covers)

    X, y = iris()
    names = ["virginica", "setosa", "versicolor"]
    costs = pd.DataFrame([[0, 9, 4], [2, 0, 1], [1, 3, 0]], index=names, columns=names)
    structure = bl.HillClimbing(bl.CrossValidatedRisk(3, loss=costs), "naive", max_parents=2)
    model = bl.BayesNetClassifier(structure, bl.MaximumLikelihood(), loss=costs, random_state=0).fit(X, y)
    covers = (
        "HillClimbing on cross-validated risk; the loss a labelled DataFrame, of the score and of the model"
    )
    keep(folder, "climb_risk_labelled_loss.bayleaf.json", model, X, covers=covers)

    X, y = mixed(seed=4)
    model = bl.classifier("TAN-OMI-CR-CL", parameters__max_iter=20, random_state=0).fit(X, y)
    keep(
        folder,
        "name_tan_omi_cr_cl.bayleaf.json",
        model,
        X,
        covers="a name of four tags: OrderBased, conditional",
    )
    model = bl.classifier("RMHO-ar(NBC)", random_state=5).fit(X, y)
    keep(
        folder,
        "name_rmho_ar.bayleaf.json",
        model,
        X,
        covers="RMHO-ar(NBC) by name: HoldoutRisk, no reversals",
    )


def searches(folder):
    X, y = mixed(150, seed=5)
    structure = bl.HillClimbing(
        bl.BDeu(2.0),
        start=[("flag", "buys"), ("buys", "grade")],
        max_parents=3,
        required=[("flag", "buys")],
        forbidden=[("word", "number"), ("same", "buys")],
        tabu=4,
        restarts=2,
    )
    model = bl.BayesNetClassifier(structure, bl.Dirichlet(2.0), bl.MDLP(), random_state=3).fit(X, y)
    assert len(model.training_.search.steps) > 3
    covers = "HillClimbing on BDeu from given arcs, with required and forbidden ones, tabu, restarts; a trace"
    keep(folder, "climb_bdeu_trace.bayleaf.json", model, X, covers=covers)

    X, y = mixed(150, seed=5)
    prior = bl.DAG([*X.columns, "buys"], [("buys", "number"), ("buys", "grade")])
    structure = bl.HillClimbing(bl.BDe(prior, ess=3.0, kappa=0.5), start=prior)
    model = bl.BayesNetClassifier(structure, random_state=np.random.default_rng(0), loss=by_rule).fit(X, y)
    covers = "HillClimbing on BDe with a prior DAG; costs by a function; a random_state that no file can hold"
    warns = "random_state=Generator"
    keep(folder, "climb_bde_unsaved.bayleaf.json", model, X, covers=covers, warns=warns)

    X, y = cancer((1, 7, 20, 24, 27))
    structure = bl.Exact(
        bl.BIC(), augmented=True, max_parents=3, forbidden=[("worst smoothness", "worst radius")]
    )
    model = bl.BayesNetClassifier(structure, bl.Laplace()).fit(X, y)
    covers = "Exact, augmented, on BIC, with a forbidden arc"
    keep(folder, "exact_anb.bayleaf.json", model, X, covers=covers)

    X, y = wine()
    model = bl.classifier("GBN-BDeu", ess=2.0).fit(X, y)
    keep(
        folder,
        "name_gbn_bdeu.bayleaf.json",
        model,
        X,
        covers="GBN-BDeu by name: Exact over all graphs, medians",
    )
    model = bl.classifier("MC-DAG", price=1.0, discretizer=bl.Quantiles(3)).fit(X, y)
    keep(folder, "name_mc_dag.bayleaf.json", model, X, covers="MC-DAG by name")
    model = bl.classifier("TAN-aCLL", structure__floor=3.0).fit(*dependent(90))
    keep(folder, "name_tan_acll.bayleaf.json", model, dependent(90)[0], covers="TAN-aCLL by name")

    X, y = dependent(110)
    array = np.array(X.rows(), dtype=object)
    values = np.array([{"hot": 2.0, "small": -1.0, "usual": 0.0}[label] for label in y])
    model = bl.classifier("HGC", unknown="missing").fit(array, values)
    covers = "HGC by name: BDe; an array of texts without names; classes -1.0, 0.0, 2.0"
    keep(folder, "name_hgc_text_array.bayleaf.json", model, array, covers=covers)


def by_rule(truth, decision):
    return 0 if truth == decision else {"no": 1, "yes": 4}[truth]


def selectors(folder):
    X, y = mixed(150, seed=6)
    model = bl.classifier("fsANB-BDeu", delta=3.0).fit(X, y)
    covers = "fsANB-BDeu by name: BayesFactorSelector, not all columns in the network"
    keep(folder, "name_fsanb.bayleaf.json", model, X, covers=covers)
    selector = bl.MMPC(bl.G2(alpha=0.1, min_rows=3.0), max_conditioning=2, symmetric=True)
    model = bl.BayesNetClassifier(bl.KDB(1), selector=selector).fit(X, y)
    covers = "MMPC with G2, KDB without dependencies"
    keep(folder, "mmpc_kdb.bayleaf.json", model, X, covers=covers)
    X, y = cancer()
    model = bl.BayesNetClassifier(
        bl.HillClimbing(bl.K2()), discretizer=bl.MedianSplit(), selector=bl.S2TMB(bl.BDeu(2.0), spouses=False)
    ).fit(X, y)
    keep(folder, "s2tmb_k2.bayleaf.json", model, X, covers="S2TMB with a score; HillClimbing on K2")
    model = bl.BayesNetClassifier(selector=bl.HITONPC(bl.BayesFactor(1.0, 2.0))).fit(X, y)
    keep(
        folder, "hiton_bayes_factor.bayleaf.json", model, X, covers="HITONPC with a Bayes factor as the test"
    )

    model = bl.BayesNetClassifier(bl.NaiveBayes(), selector=bl.PCMB(max_conditioning=2)).fit(X, y)
    keep(folder, "pcmb_nb.bayleaf.json", model, X, covers="PCMB, NaiveBayes")


def ensembles(folder):
    X, y = mixed(gaps=0.08, seed=8)
    X = X.drop("price, €", "same")
    model = bl.classifier("RTAN", n_estimators=5, random_state=0).fit(X, y)
    model.cross_validate(X, y, cv=3)
    covers = "RTAN by name: five members vote; missing values; cross-validation kept"
    keep(folder, "name_rtan.bayleaf.json", model, X, covers=covers)

    X, y = dependent(150)
    kinds = ["hot", "small", "usual"]
    costs = pl.DataFrame({"truth": kinds, "hot": [0, 2, 1], "small": [8, 0, 1], "usual": [8, 2, 0]})
    member = bl.BayesNetClassifier(bl.KDB(2, True, min_count=12), bl.Laplace(), loss=costs)
    model = bl.BaggedClassifier(member, 3, "average", max_samples=0.8, random_state=3)
    model.fit(X, y, sample_weight=1.0 + np.arange(len(y)) % 2)
    for member in model.estimators_:
        assert_rows_differ(member, X)
    covers = (
        "members with a network per row whose probabilities are averaged; labelled costs; weights; packed"
    )
    keep(folder, "bagged_dependencies_loss.bayleaf.json.gz", model, X, covers=covers)


def command_line(folder):
    X, y = mixed(gaps=0.05, seed=9)
    lines = ["id;word;flag;number;count;price;buys"]
    columns = ["word", "flag", "number", "count", "price, €"]
    for i, (row, label) in enumerate(zip(X.select(columns).rows(), y, strict=True)):
        texts = ["-" if value is None else str(value).replace(".", ",") for value in row]
        lines.append(";".join([f"n{i}", *texts, label]))
    table, name = folder / "table.csv", "command_line.bayleaf.json"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    program = Path(sys.executable).parent / "bayleaf"
    options = "--target buys --method KDB(k=1) --categorical count --drop id --missing impute --cv 3 --seed 4"
    reading = "--delimiter ; --decimal comma --missing-values - --discretizer quantiles"
    words = [*options.split(), *reading.split(), "--out", name]
    subprocess.run([program, "fit", table.name, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    table.unlink()

    # The process that fitted it is gone: the same model, fitted here, says what to expect.
    loaded = bl.load(folder / name)
    X = X.select(columns).rename({"price, €": "price"})
    settings = {"discretizer": bl.Quantiles(), "missing": "impute", "categorical_features": ["count"]}
    model = bl.classifier("KDB", k=1, random_state=4, **settings).fit(X, y)
    given = plain(X, some_rows(X))
    data = as_data(given)
    assert loaded.schema_ == model.schema_
    assert answers(loaded, data) == answers(model, data)
    expected[name] = {
        "covers": "written by 'bayleaf fit' from a CSV file: the way the table was read, cross-validation, quantiles",
        "reader": "load",
        "kind": "BayesNetClassifier",
        "warns": None,
        "refuses_unknown": False,
        **given,
        **answers(model, data),
        **facts(loaded),
    }


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    parts = (
        plain_learners,
        rows_with_their_own_parents,
        learners_for_the_class,
        searches,
        selectors,
        ensembles,
        command_line,
    )
    for part in parts:
        part(folder)
    text = json.dumps(expected, indent=None, allow_nan=False)
    text = text.replace('}, "', '},\n "')
    assert json.loads(text) == expected
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
