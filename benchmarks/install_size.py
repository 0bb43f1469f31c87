"""What an install takes on disk: the usual one, and a small one for services, each into an empty environment.

python benchmarks/install_size.py dist/bayleaf-*.whl    # of `make wheel`; without a wheel, one is built first
"""

import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

from common import report

ROOT = Path(__file__).resolve().parents[1]
SMALL = ROOT / "packaging" / "small.txt"
LISTED = 1.0  # MB that make a library worth a line of its own
# The small install does its work: a model of pandas' or numpy's columns, saved, loaded and asked.
TRIAL = """
import tempfile, pathlib, bayleaf as bl
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
path = pathlib.Path(tempfile.mkdtemp()) / "iris.bayleaf.json"
bl.BayesNetClassifier().fit(X, y).save(path)
assert bl.load(path).scorer()(X[0].tolist()).argmax() == y[0]
"""


def environment(folder: Path) -> Path:
    """Make an environment with nothing in it, not even pip; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder / "bin" / "python"


def install(python: Path, *words: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", *words], check=True)


def sizes(python: Path) -> dict[str, tuple[float, float]]:
    """Return the megabytes of every library, and of the bytecode among them."""
    (places,) = python.parents[1].glob("lib/python*/site-packages")
    return {found.name: _megabytes(found) for found in distributions(path=[str(places)])}


def _megabytes(found: Distribution) -> tuple[float, float]:
    files = [Path(str(file.locate())) for file in found.files or ()]
    size = {file: file.stat().st_size / 1e6 for file in files if file.is_file()}
    return sum(size.values()), sum(part for file, part in size.items() if file.suffix == ".pyc")


def built_wheel(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True)
    return next(folder.glob("*.whl"))


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else built_wheel(folder)
        usual = environment(folder / "usual")
        install(usual, str(wheel))
        small = environment(folder / "small")
        install(small, "--no-compile", "-r", str(SMALL))
        install(small, "--no-compile", "--no-deps", str(wheel))
        in_usual, in_small = sizes(usual), sizes(small)
        subprocess.run([small, "-B", "-c", TRIAL], check=True, cwd=folder)
    by_size = sorted(in_usual, key=lambda library: -in_usual[library][0])
    rows: list[list[object]] = [
        [library, in_usual[library][0], in_usual[library][1], in_small.get(library, (0.0, 0.0))[0]]
        for library in by_size
        if in_usual[library][0] >= LISTED
    ]
    columns = [[in_usual[x][0] for x in in_usual], [in_usual[x][1] for x in in_usual]]
    totals = [*map(sum, columns), sum(total for total, _ in in_small.values())]
    shown = [[row[0], *(f"{value:.0f}" for value in row[1:])] for row in [*rows, ["all together", *totals]]]
    header = ["library", "MB after pip install", "of which bytecode", "MB of the small install"]
    report("Install", header, shown, "install_size.csv")


if __name__ == "__main__":
    run()
