"""What must work in an empty environment after ``pip install bayleaf``, and after ``pip install 'bayleaf[files]'``.

python smoke.py      # in any folder but the source tree; prints the size of the environment in the end
"""

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from sklearn.datasets import load_iris

import bayleaf as bl

X, Y = load_iris(return_X_y=True)


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command of the same environment."""
    beside = Path(sys.executable).with_name("bayleaf")
    return subprocess.run([str(beside), *map(str, words)], capture_output=True, text=True)


def try_python(path: Path) -> None:
    """Fit, explain, save and load."""
    model = bl.BayesNetClassifier().fit(X, Y)
    assert model.score(X, Y) > 0.9
    assert "log-odds" in str(model.explain(X[:1]))
    model.save(path)
    assert (bl.load(path).predict_proba(X) == model.predict_proba(X)).all()
    assert bl.load(path).scorer()(X[0].tolist()).argmax() == Y[0]


def try_command(path: Path) -> None:
    """Show a model; fit and predict where files can be read, and say what to install where not."""
    assert command("--version").stdout.strip().endswith(bl.__version__)
    assert command("show", path).returncode == 0
    page = command("report", path, "-o", path.with_suffix(".html"))
    assert page.returncode == 0 or "pip install 'bayleaf[report]'" in page.stderr, page.stderr
    table, fitted = path.with_name("iris.csv"), path.with_name("fitted.bayleaf.json")
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), Y.tolist(), strict=True)]
    table.write_text("\n".join(["a,b,c,d,species", *lines]))
    fit = command("fit", table, "--target", "species", "--method", "tan", "-o", fitted)
    if find_spec("polars") is None:
        assert (fit.returncode, fitted.exists()) == (2, False)
        assert fit.stderr.endswith("pip install 'bayleaf[files]'.\n"), fit.stderr
        return
    assert fit.returncode == 0, fit.stderr
    assert json.loads(fitted.read_text())["format"] == "bayleaf"
    assert command("predict", fitted, table).stdout.count("\n") == 151


def main() -> None:
    """Run every step, each of which must do what it says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "iris.bayleaf.json"
        try_python(path)
        try_command(path)
    places = Path(bl.__file__).parents[1]
    size = sum(file.stat().st_size for file in places.rglob("*") if file.is_file()) / 1e6
    print(f"bayleaf {bl.__version__} works in {places}: {size:.0f} MB with everything it needs")


if __name__ == "__main__":
    main()
