"""Why figures differ from the paper's: the same folds with one thing changed at a time.

    python experiments/rmcv_2012/checks.py                     # one repetition, all sets but Letter
    python experiments/rmcv_2012/checks.py --only Letter --zeros-only
    python experiments/rmcv_2012/checks.py --trees --repetitions 4

Data sets that FOLDER/checks.csv has are not done again. Variants of the Bayesian network classifiers:

as run
    Cut points by MDLP from training rows, zeros replaced by 1e-5 (what run.py measures).
cut before
    Cut points by MDLP from all rows, before the folds are made.
width 5, width 10, states
    Intervals of equal width, or every number a state of its own (where none has more than 60), instead of MDLP.
BDeu instead, AIC instead
    Another score than K2 or MDL, the rest as run.
..., zeros
    The same networks with relative frequencies as they are: an unseen value has probability 0, an unseen parent
    configuration probability 0 for all values, and where no class is left the first one is predicted. The Bayes Net
    Toolbox of Murphy (2001), which the authors used, leaves both at 0; MATLAB's max takes the first of equals.
..., zeros, last
    The same, predicting the last class where none is left.

Variants of SVMs and trees: what a feature is to them (its state's number, that scaled to [0, 1] or [-1, 1],
standardised, or one-hot).
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import polars as pl
import report
from compared import NETWORKS, Cells, networks
from data_sets import DataSet, available
from numpy.typing import NDArray
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
from bayleaf.benchmark import Cell, CrossValidation, ResultTable, Split

ENCODINGS: dict[str, Any] = {
    "numbers": FunctionTransformer,
    "[0, 1]": MinMaxScaler,
    "[-1, 1]": lambda: MinMaxScaler((-1, 1)),
    "standardised": StandardScaler,
    "one-hot": lambda: OneHotEncoder(handle_unknown="ignore", sparse_output=False),
}
OTHERS: dict[str, Any] = {
    "CT": lambda: DecisionTreeClassifier(ccp_alpha=0.003, random_state=0),
    "SVM (linear)": lambda: SVC(kernel="linear"),
    "SVM (polynomial)": lambda: SVC(kernel="poly", gamma="auto"),
    "SVM (Gaussian)": lambda: SVC(kernel="rbf", gamma="auto"),
}
OTHER_SCORES: dict[str, Any] = {"K2": ("BDeu instead", bl.BDeu(1.0)), "MDL": ("AIC instead", bl.AIC())}
MOST_STATES = 60
Line = dict[str, Any]


def with_zeros(
    clf: bl.BayesNetClassifier, training: Any, codes: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Classify encoded rows by plain relative frequencies; the second array says where every class has 0."""
    dag, target = clf.network_.dag, training.target
    rows = codes.astype(np.intp)
    classes = training.variables[target].arity
    joint = np.ones((len(rows), classes))
    full = np.insert(rows, target, 0, axis=1)
    for node, parents in enumerate(dag.parent_indices):
        family = (*parents, node)
        shape = tuple(training.variables[each].arity for each in family)
        counts = np.zeros(shape)
        np.add.at(counts, tuple(training.codes[:, each].astype(np.intp) for each in family), 1)
        totals = counts.sum(axis=-1, keepdims=True)
        table = counts / np.where(totals > 0, totals, 1)
        for label in range(classes):
            index = tuple(np.full(len(rows), label) if each == target else full[:, each] for each in family)
            joint[:, label] *= table[index]
    return joint.argmax(axis=1), (joint == 0).all(axis=1)


def network_lines(data: DataSet, repetitions: int, *, zeros_only: bool = False) -> Iterator[Line]:
    """Accuracies of the network classifiers on every fold, variant by variant."""
    X, y = data.load()
    truth = np.asarray(y)
    variants = {"as run": (X, bl.MDLP())} if zeros_only else _variants(X, y)
    for repeat, fold in CrossValidation(folds=5, repeats=repetitions).cells:
        split = CrossValidation(folds=5).split(truth, repeat, fold)
        for name, model in networks(NETWORKS).items():
            for variant, (features, discretizer) in variants.items():
                clf = model.set_params(random_state=0, discretizer=discretizer)
                clf.fit(features[split.train], y[split.train])
                for ending, decided in _decisions(clf, features, y, split).items():
                    hits = (decided == truth[split.test]).mean()
                    yield _line(data, name, variant + ending, hits)
            if name.split()[0] in OTHER_SCORES and not zeros_only:
                variant, score = OTHER_SCORES[name.split()[0]]
                clf = model.set_params(discretizer=bl.MDLP(), structure__score=score)
                clf.fit(X[split.train], y[split.train])
                yield _line(data, name, variant, (clf.predict(X[split.test]) == truth[split.test]).mean())


def _line(data: DataSet, method: str, variant: str, accuracy: float) -> Line:
    return {"dataset": data.paper, "method": method, "variant": variant, "accuracy": accuracy}


def _variants(X: pl.DataFrame, y: pl.Series) -> dict[str, tuple[pl.DataFrame, Any]]:
    """Features and discretiser of every variant; only one where nothing is to be cut."""
    variants: dict[str, tuple[pl.DataFrame, Any]] = {"as run": (X, bl.MDLP())}
    numeric = [name for name in X.columns if X[name].dtype.is_numeric()]
    if numeric:
        codes = Cells().fit(X, y).transform(X)
        cut = {name: pl.Series(codes[:, X.columns.index(name)]) for name in numeric}
        variants["cut before"] = (_as_states(X.with_columns(**cut), numeric), bl.MDLP())
        variants |= {f"width {bins}": (X, bl.EqualWidth(bins)) for bins in (5, 10)}
        if max(X[name].n_unique() for name in numeric) <= MOST_STATES:
            variants["states"] = (_as_states(X, numeric), bl.MDLP())
    return variants


def _as_states(X: pl.DataFrame, numeric: list[str]) -> pl.DataFrame:
    """Turn every number of some columns into a category."""
    texts = {name: X[name].cast(pl.String) for name in numeric}
    return X.with_columns(**{name: text.cast(pl.Enum(text.unique().sort())) for name, text in texts.items()})


def _decisions(clf: bl.BayesNetClassifier, X: pl.DataFrame, y: pl.Series, split: Split) -> dict[str, Any]:
    """Predictions of a fitted classifier, and of its network when zeros stay zeros."""
    training = clf.learn_table(X[split.train], y[split.train])
    best, none = with_zeros(clf, training, clf.encode(X[split.test]).codes)
    states = np.asarray(training.variables[training.target].states)
    return {
        "": clf.predict(X[split.test]),
        ", zeros": states[best],
        ", zeros, last": np.where(none, states[-1], states[best]),
    }


def other_lines(data: DataSet, repetitions: int) -> Iterator[Line]:
    """Accuracies of SVMs and trees on every fold, encoding by encoding."""
    X, y = data.load()
    truth = np.asarray(y)
    for repeat, fold in CrossValidation(folds=5, repeats=repetitions).cells:
        split = CrossValidation(folds=5).split(truth, repeat, fold)
        cells = Cells().fit(X[split.train], y[split.train])
        train, test = (cells.transform(X[rows]).astype(float) for rows in (split.train, split.test))
        for encoding, make in ENCODINGS.items():
            scaler = make().fit(train)
            seen, unseen = scaler.transform(train), scaler.transform(test)
            for name, model in OTHERS.items():
                hits = model().fit(seen, truth[split.train]).predict(unseen) == truth[split.test]
                yield _line(data, name, encoding, hits.mean())


def tree_lines(data: DataSet, repetitions: int) -> Iterator[Line]:
    """Accuracies of unpruned trees that split any node, or only nodes of ten rows as MATLAB's do."""
    X, y = data.load()
    truth = np.asarray(y)
    for repeat, fold in CrossValidation(folds=5, repeats=repetitions).cells:
        split = CrossValidation(folds=5).split(truth, repeat, fold)
        cells = Cells().fit(X[split.train], y[split.train])
        train, test = (cells.transform(X[rows]) for rows in (split.train, split.test))
        for rows in (2, 10):
            tree = DecisionTreeClassifier(min_samples_split=rows, random_state=0).fit(
                train, truth[split.train]
            )
            yield _line(data, "CT", f"nodes of {rows} rows", (tree.predict(test) == truth[split.test]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--only", nargs="+", help="data sets by their names in the paper")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--zeros-only", action="store_true", help="only the variants 'as run' (for Letter)")
    parser.add_argument("--trees", action="store_true", help="only trees: FOLDER/checks_trees.csv")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    paper = report.published_accuracy()
    chosen = [
        each
        for each in available()
        if (each.paper in options.only if options.only else each.paper != "Letter")
    ]
    if options.trees:
        lines = [line for data in chosen for line in tree_lines(data, options.repetitions)]
        means = (
            pl.DataFrame(lines)
            .group_by("dataset", "variant", maintain_order=True)
            .agg((pl.col("accuracy").mean() * 100).round(2))
        )
        wide = means.pivot("variant", index="dataset", values="accuracy")
        theirs = pl.Series([paper[name]["CT"] for name in wide["dataset"]])
        wide.with_columns(paper=theirs).write_csv(options.out / "checks_trees.csv")
        return
    path = options.out / "checks.csv"
    frames = [pl.read_csv(path)] if path.exists() else []
    finished = set(frames[0]["dataset"]) if frames else set()
    for data in chosen:
        if data.paper in finished:
            continue
        lines = list(network_lines(data, options.repetitions, zeros_only=options.zeros_only))
        if not options.zeros_only:
            lines += other_lines(data, options.repetitions)
        means = pl.DataFrame(lines).group_by("dataset", "method", "variant", maintain_order=True).mean()
        theirs = [paper[data.paper][method] for method in means["method"]]
        frames.append(means.with_columns((pl.col("accuracy") * 100).round(2), paper=pl.Series(theirs)))
        pl.concat(frames).write_csv(path)
        print(data.paper, flush=True)
    write_table(pl.concat(frames), options.out / "checks.md")


def write_table(checks: pl.DataFrame, path: Path) -> None:
    """Write the mean distance to the paper of every variant, and every variant of every figure far from it."""
    distance = checks.with_columns(distance=(pl.col("accuracy") - pl.col("paper")).abs())
    cut = checks.filter(pl.col("variant") == "width 5")["dataset"].unique().to_list()
    parts = ["# Checks\n\nMade by `checks.py`, which says what the variants are. Per cent."]
    for title, own in (
        ("networks", pl.col("method").is_in(NETWORKS)),
        ("others", pl.col("method").is_in(OTHERS)),
    ):
        # Over the same data sets for all variants: those with numbers to cut.
        shared = distance.filter(
            own & pl.col("dataset").is_in(cut) & (~pl.col("variant").str.contains("states"))
        )
        wide = shared.pivot(
            "variant", index="method", values="distance", aggregate_function="mean", maintain_order=True
        )
        parts.append(
            f"## Mean distance to the paper over {len(cut)} sets with numbers, {title}\n\n{_markdown(wide)}"
        )
    for (name,), group in distance.group_by("dataset", maintain_order=True):
        wide = group.pivot("variant", index=["method", "paper"], values="accuracy", maintain_order=True)
        for part in (pl.col("method").is_in(NETWORKS), pl.col("method").is_in(OTHERS)):
            rows = wide.filter(part)
            rows = rows.select([column for column in rows.columns if rows[column].null_count() < rows.height])
            if rows.is_empty():
                continue
            parts.append(f"## {name}\n\n{_markdown(rows)}")
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _markdown(frame: pl.DataFrame) -> str:
    rows = [
        (str(line[0]), tuple(Cell("-" if value is None else f"{value:.1f}") for value in line[1:]))
        for line in frame.iter_rows()
    ]
    return str(ResultTable("", tuple(frame.columns), tuple(rows)))


if __name__ == "__main__":
    main()
