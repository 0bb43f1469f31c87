"""Free text: how much the telling words of a column help, and which columns of other tables look like free text.

    python experiments/columns/free_text.py

The tables of the data folder have no free text, so three tables are made by rule from texts that come with Python and
with libraries that bayleaf needs:

- *libraries*: the first paragraph of the docstring of each public function and class of numpy, scipy.stats, sklearn
  and pandas, with the length of its name; the class is the library;
- *kinds*: the same of the modules of Python's own library; the class is whether it is a function or a class;
- *sentences*: each sentence of the descriptions of scikit-learn's data sets, with its number of characters; the class
  is the data set.

Each is measured by five stratified folds, with the text left out (the default) and with the type "text" in
``column_types``, whose words are chosen in the training rows of each fold. Beside it stands the log-loss of held-out
training rows that a fit on all rows reports, for which words were chosen from all rows. False alarms: the columns of
the data folder (BAYLEAF_DATA) that are taken for free text. The tables go to results/free_text.md.
"""

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import narwhals as nw
import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import bayleaf as bl
import datafolder
from bayleaf.data.raw_columns import series_column
from bayleaf.data.text_words import is_free_text
from bayleaf.tables import read_data

LIBRARIES = ("numpy", "scipy.stats", "sklearn", "pandas")
STANDARD = (
    "collections",
    "datetime",
    "decimal",
    "email",
    "http",
    "json",
    "logging",
    "os",
    "pathlib",
    "statistics",
)
STANDARD += (
    "subprocess",
    "tempfile",
    "threading",
    "typing",
    "unittest",
    "urllib",
    "xml",
    "zipfile",
    "argparse",
    "ast",
)
FOLDS, FEWEST_WORDS, MOST_ROWS = 5, 4, 50_000


def modules(name: str) -> Iterator[ModuleType]:
    """Give a module and the public modules below it that can be imported."""
    top = importlib.import_module(name)
    yield top
    for found in pkgutil.iter_modules(getattr(top, "__path__", [])):
        if not found.name.startswith(("_", "test", "conftest")):
            try:
                yield importlib.import_module(f"{name}.{found.name}")
            except Exception:
                continue


def documented(names: tuple[str, ...]) -> list[dict[str, object]]:
    """Return what the public functions and classes of some libraries say about themselves."""
    lines, seen = [], set()
    for library in names:
        for module in modules(library):
            for name, value in sorted(vars(module).items()):
                kind = "class" if inspect.isclass(value) else "function" if callable(value) else ""
                text = inspect.getdoc(value) if kind and not name.startswith("_") else None
                home = str(getattr(value, "__module__", ""))
                if text is None or id(value) in seen or not home.startswith(library.split(".")[0]):
                    continue
                seen.add(id(value))
                paragraph = " ".join(text.split("\n\n")[0].split())
                lines.append({"library": library, "kind": kind, "letters": len(name), "remarks": paragraph})
    return lines


def sentences() -> list[dict[str, object]]:
    """Return the sentences of the descriptions of scikit-learn's data sets."""
    lines = []
    for path in sorted(files("sklearn.datasets.descr").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".rst"):
            found = re.split(r"(?<=[.:])\s+", " ".join(path.read_text(encoding="utf-8").split()))
            texts = [text for text in found if len(text.split()) >= FEWEST_WORDS]
            lines += [{"set": path.name[:-4], "letters": len(text), "remarks": text} for text in texts]
    counts = pl.Series([line["set"] for line in lines]).value_counts()
    many = set(counts.filter(pl.col("count") >= 2 * FOLDS)[:, 0])
    return [line for line in lines if line["set"] in many]


def tables() -> Iterator[tuple[str, pl.DataFrame, str]]:
    """Give the three tables, and the class of each."""
    yield "libraries", pl.DataFrame(documented(LIBRARIES)).drop("kind"), "library"
    yield "kinds", pl.DataFrame(documented(STANDARD)).drop("library"), "kind"
    yield "sentences", pl.DataFrame(sentences()), "set"


def measured(
    frame: pl.DataFrame, target: str, types: dict[str, str] | None
) -> tuple[float, float, float, float]:
    """Return log-loss, accuracy and number of words in five folds, and the log-loss that a fit to all rows says."""
    X, y = frame.drop(target), frame[target].to_numpy()
    losses, hits, words = [], [], []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y):
        model = bl.BayesNetClassifier(column_types=types).fit(X[train], y[train])
        codes = np.searchsorted(model.classes_, y[test])
        probabilities = model.predict_proba(X[test])
        losses.append(-np.log(probabilities[np.arange(len(test)), codes]).mean())
        hits.append((probabilities.argmax(axis=1) == codes).mean())
        words.append(sum(variable.part == "word" for variable in model.schema_.features))
    whole = bl.BayesNetClassifier(column_types=types).fit(X, y)
    assert whole.out_of_sample_ is not None
    return float(np.mean(losses)), float(np.mean(hits)), float(np.mean(words)), whole.out_of_sample_.log_loss


def main() -> None:
    warnings.simplefilter("ignore")
    lines = [
        "# Free text",
        "",
        "| table | rows | classes | text | words | log-loss | accuracy | log-loss reported by fit |",
        "|:---|---:|---:|:---|---:|---:|---:|---:|",
    ]
    for name, frame, target in tables():
        for said, types in (("left out", None), ("words", {"remarks": "text"})):
            loss, hits, words, reported = measured(frame, target, types)
            classes = frame[target].n_unique()
            figures = f"{words:.0f} | {loss:.3f} | {hits:.3f} | {reported:.3f}"
            lines.append(f"| {name} | {frame.height:,} | {classes} | {said} | {figures} |")
            print(lines[-1], flush=True)
    found, columns = [], 0
    for path in sorted(datafolder.folder().glob("*.csv.gz")):
        data = read_data(path).head(MOST_ROWS)
        for name in data.columns:
            columns += 1
            if is_free_text(series_column(name, nw.from_native(data[name], series_only=True))):
                found.append(f"{path.name}: {name}")
    lines += [
        "",
        f"Free text among {columns:,} columns of the data folder: {', '.join(found) or 'none'}.",
        "",
    ]
    (Path(__file__).parent / "results" / "free_text.md").write_text("\n".join(lines), encoding="utf-8")
    print(lines[-2])


if __name__ == "__main__":
    main()
