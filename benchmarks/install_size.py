"""What an install takes on disk: the library alone and with what people at a desk use, each in an empty environment.

python benchmarks/install_size.py dist/bayleaf-*.whl    # of `make wheel`; without a wheel, one is built first
"""

import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

from common import report

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("", "[desk]")
LISTED = 8.0  # MB that make a library worth a line of its own
# Each install does its work: a model is fitted, saved, loaded and asked.
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
        found = []
        for extra in EXTRAS:
            python = environment(folder / f"with{extra}")
            install(python, f"{wheel}{extra}")
            found.append(sizes(python))
            subprocess.run([python, "-B", "-c", TRIAL], check=True, cwd=folder)
    largest = sorted(found[-1], key=lambda library: -found[-1][library][0])
    rows: list[list[object]] = [
        [library, *(value for each in found for value in each.get(library, (0.0, 0.0)))]
        for library in largest
        if found[-1][library][0] >= LISTED
    ]
    totals = [sum(column) for each in found for column in zip(*each.values(), strict=True)]
    shown = [[row[0], *(f"{value:.0f}" for value in row[1:])] for row in [*rows, ["all together", *totals]]]
    without = [f"{whole - bytecode:.0f}" for whole, bytecode in zip(totals[::2], totals[1::2], strict=True)]
    shown.append(["without bytecode (pip install --no-compile)", without[0], "0", without[1], "0"])
    header = ["library", "MB of bayleaf", "bytecode in it", "MB of bayleaf[desk]", "bytecode in that"]
    report("Install", header, shown, "install_size.csv")


if __name__ == "__main__":
    run()
