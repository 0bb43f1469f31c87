"""The models whose pages are on the site: made when it is built, from data of scikit-learn or by rule."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split

import bayleaf as bl
from bayleaf.data import Variable
from bayleaf.page import write_report

# The row of the test data that the home page, README and their figure explain, as a position.
DOUBTFUL = 14


@dataclass(frozen=True)
class Live:
    """A model, rows that it has not seen, and the part of its page's address that opens a case."""

    model: Any
    X: Any = None
    y: Any = None
    title: str | None = None
    address: str = ""

    def html(self) -> str:
        """Write the page."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            write_report(self.model, path, self.X, self.y, title=self.title)
            return path.read_text(encoding="utf-8")


def case_address(model: bl.BayesNetClassifier, X: Any, row: int, view: str = "why") -> str:
    """Return what stands behind the name of a page to open it on a row of X, counted from 0."""
    codes, values = model.encode(X[[row]]).codes[0].tolist(), X.row(row)
    known = {variable.name: k for k, variable in enumerate(model.schema_.features)}
    parts = []
    for node, name in enumerate(model.network_.nodes):
        if name in known and values[known[name]] is not None:
            number = (
                f"@{values[known[name]]:g}" if model.schema_.features[known[name]].cuts is not None else ""
            )
            parts.append(f"{node}.{codes[known[name]]}{number}")
    return f"#{view};row={row + 1};e={'_'.join(parts)}"


def measurements(bunch: Any, columns: int | None = None) -> pl.DataFrame:
    """Return the features of a set of scikit-learn, or the first few of them."""
    names = [str(name) for name in bunch.feature_names[:columns]]
    return pl.DataFrame(bunch.data[:, :columns], schema=names)


def classes(bunch: Any, name: str) -> pl.Series:
    """Return the classes of a set of scikit-learn by name."""
    return pl.Series(name, bunch.target_names[bunch.target].astype(str))


def tumours() -> Live:
    """One network, the default."""
    bunch = load_breast_cancer()
    X, y = measurements(bunch, 10), classes(bunch, "diagnosis")
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = bl.BayesNetClassifier().fit(X_train, y_train)
    model.describe(title="Is this breast tumour malignant?", labels={"diagnosis": "Diagnosis"})
    return Live(model, X_test, y_test, address=case_address(model, X_test, DOUBTFUL))


def tutorial() -> Live:
    """The model of the tutorial, on the row that it explains."""
    bunch = load_breast_cancer()
    table = measurements(bunch, 10).with_columns(classes(bunch, "diagnosis"))
    table = table[np.random.default_rng(1).permutation(len(table))]
    X, y = table.drop("diagnosis"), table["diagnosis"]
    model = bl.BayesNetClassifier().fit(X[:450], y[:450])
    model.describe(title="Benign or malignant?")
    doubtful = int(model.predict_proba(X[450:]).max(axis=1).argmin())
    return Live(model, X[450:], y[450:], address=case_address(model, X[450:], doubtful))


def wine() -> Live:
    """A forest, which has arcs only where they pay."""
    bunch = load_wine()
    X = measurements(bunch).rename({"od280/od315_of_diluted_wines": "dilution"})
    y = pl.Series("cultivar", np.array(["Barolo", "Grignolino", "Barbera"])[bunch.target])
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    model = bl.classifier("FAN").fit(X_train, y_train)
    model.describe(
        title="Which cultivar is this wine from?",
        units={"alcohol": "% vol."},
        descriptions={"dilution": "Absorbance at 280 nm over that at 315 nm, of the diluted wine."},
    )
    return Live(model, X_test, y_test)


def iris_with_gaps() -> Live:
    """Three of ten values taken away at random."""
    bunch = load_iris()
    values = bunch.data.copy()
    values[np.random.default_rng(0).random(values.shape) < 0.3] = np.nan
    names = [name.removesuffix(" (cm)") for name in bunch.feature_names]
    X, y = pl.DataFrame(values, schema=names).fill_nan(None), classes(bunch, "species")
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    model = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), bl.MDLP(), missing="available")
    model.fit(X_train, y_train)
    model.describe(title="Which iris, with three in ten values missing?", units=dict.fromkeys(names, "cm"))
    return Live(model, X_test, y_test)


def digits() -> Live:
    """Ten classes, and many features."""
    bunch = load_digits()
    blocks = bunch.images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    names = [f"ink in line {line}, column {column}" for line in range(1, 5) for column in range(1, 5)]
    X, y = pl.DataFrame(blocks, schema=names), pl.Series("digit", bunch.target.astype(str))
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = bl.BayesNetClassifier(bl.KDB(k=2), bl.Shrinkage()).fit(X_train, y_train)
    model.describe(title="Which digit was written?")
    return Live(model, X_test, y_test)


def rare_disease() -> Live:
    """One in twenty is sick, and to miss one costs as much as fifteen false alarms."""
    rng = np.random.default_rng(0)
    sick = rng.random(3000) < 0.05
    age = rng.normal(50, 15, 3000).clip(18, 95).round() + 8 * sick
    X = pl.DataFrame(
        {
            "fever": np.where(rng.random(3000) < np.where(sick, 0.7, 0.1), "yes", "no"),
            "cough": np.where(rng.random(3000) < np.where(sick, 0.6, 0.25), "yes", "no"),
            "smoker": np.where(rng.random(3000) < 0.2, "yes", "no"),
            "age": age,
            "marker": np.exp(rng.normal(np.where(sick, 1.2, 0.2), 0.7)).round(2),
        }
    )
    y = pl.Series("disease", np.where(sick, "sick", "well"))
    model = bl.BayesNetClassifier(loss={"sick": {"well": 15.0}}).fit(X[:2000], y[:2000])
    model.describe(title="Who should be seen again?", units={"age": "years", "marker": "mg/l"})
    return Live(model, X[2000:], y[2000:])


def chest_clinic() -> Live:
    """A network without a class, with the numbers of S. L. Lauritzen and D. J. Spiegelhalter (1988)."""
    given = {
        "visit to Asia": ((), 0.01),
        "smoker": ((), 0.5),
        "tuberculosis": (("visit to Asia",), [0.01, 0.05]),
        "lung cancer": (("smoker",), [0.01, 0.1]),
        "bronchitis": (("smoker",), [0.3, 0.6]),
        "either": (("tuberculosis", "lung cancer"), [[0.0, 1.0], [1.0, 1.0]]),
        "positive X-ray": (("either",), [0.05, 0.98]),
        "shortness of breath": (("bronchitis", "either"), [[0.1, 0.7], [0.8, 0.9]]),
    }
    variables = [Variable(name, ("no", "yes")) for name in given]
    dag = bl.DAG(list(given), [(parent, name) for name, (parents, _) in given.items() for parent in parents])
    tables = [np.stack([1 - np.array(yes), np.array(yes)], axis=-1) for _, yes in given.values()]
    return Live(bl.BayesNet(variables, dag, tables), title="The chest clinic")


def committee() -> Live:
    """An ensemble: every feature in turn is a parent of all others."""
    bunch = load_wine()
    y = pl.Series("cultivar", np.array(["Barolo", "Grignolino", "Barbera"])[bunch.target])
    X = measurements(bunch, 7)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    model = bl.classifier("AODE").fit(X_train, y_train)
    model.describe(title="Seven networks on one wine")
    return Live(model, X_test, y_test)


def pool() -> Live:
    """Many networks in one score."""
    bunch = load_breast_cancer()
    X, y = measurements(bunch), classes(bunch, "diagnosis")
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = bl.NetworkPool(seeds=1).fit(X_train, y_train)
    model.describe(title="Tumours by a pool of networks")
    return Live(model, X_test, y_test)


# By the name of the page.
LIVE: dict[str, Callable[[], Live]] = {
    "tutorial": tutorial,
    "tumours": tumours,
    "wine": wine,
    "iris-with-gaps": iris_with_gaps,
    "digits": digits,
    "rare-disease": rare_disease,
    "chest-clinic": chest_clinic,
    "committee": committee,
    "pool": pool,
}
