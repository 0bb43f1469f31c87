"""What must work in an empty environment after ``pip install bayleaf``, and nothing else is there.

python smoke.py      # in any folder but the source tree; prints the size of the environment in the end
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_iris

import bayleaf as bl


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command of the same environment."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("bayleaf")), *words], capture_output=True, text=True
    )


def main() -> None:
    """Fit, save and load in Python, then the same by the command; every step must do what it says."""
    X, y = load_iris(return_X_y=True)
    model = bl.BayesNetClassifier().fit(X, y)
    assert model.score(X, y) > 0.9
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "iris.bayleaf.json"
        model.save(path)
        assert (bl.load(path).predict_proba(X) == model.predict_proba(X)).all()
        table = Path(folder) / "iris.csv"
        lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
        table.write_text("\n".join(["a,b,c,d,species", *lines]))
        assert command("--version").stdout.strip().endswith(bl.__version__)
        fitted = command("fit", str(table), "--target", "species", "--method", "tan", "-o", str(path))
        assert fitted.returncode == 0, fitted.stderr
        assert json.loads(path.read_text())["format"] == "bayleaf"
        assert command("predict", str(path), str(table)).stdout.count("\n") == 151
        page = command("report", str(path), "-o", str(Path(folder) / "iris.html"))
        assert page.returncode == 0 or "pip install 'bayleaf[report]'" in page.stderr, page.stderr
    places = Path(bl.__file__).parents[1]
    size = sum(file.stat().st_size for file in places.rglob("*") if file.is_file()) / 1e6
    print(f"bayleaf {bl.__version__} works in {places}: {size:.0f} MB with everything it needs")


if __name__ == "__main__":
    main()
