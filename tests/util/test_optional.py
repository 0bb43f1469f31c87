"""A small install is without polars: models of arrays and of other libraries' tables do not need it."""

import subprocess
import sys

import pytest

from bayleaf._util.optional import WhenUsed

# As if polars were not installed; then everything that a service does with a model, and what it cannot do.
WITHOUT_POLARS = """
import sys, tempfile
from importlib import metadata
from pathlib import Path

class NoPolars:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "polars":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, NoPolars())
found = metadata.version

def version(name):
    if name == "polars":
        raise metadata.PackageNotFoundError(name)
    return found(name)

metadata.version = version

import pandas as pd
import pyarrow as pa
import bayleaf as bl

columns = {"a": ["x", "y", None] * 20, "b": [1.5, 2.5, 9.0] * 20}
y = ["no", "yes", "yes"] * 20
path = Path(tempfile.mkdtemp()) / "m.json"
for table in (pd.DataFrame(columns), pa.table(columns)):
    model = bl.BayesNetClassifier("tan", "laplace").fit(table, y)
    model.save(path)
    again = bl.load(path)
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert again.scorer()({"a": "x", "b": 1.5}).argmax() == 0
assert "polars" not in model.training_.learned_with
path.with_suffix(".csv").write_text("a,c\\n1,x\\n2,y\\n")
for action in (
    lambda: bl.files.read_data(path.with_suffix(".csv")),
    lambda: model.fit(pd.DataFrame({"d": ["2024-01-01", "2024-02-29"] * 30}), y),
):
    try:
        action()
    except ImportError as error:
        print(error)
assert "polars" not in sys.modules
from typer.testing import CliRunner
from bayleaf.cli.app import app
done = CliRunner().invoke(app, ["fit", str(path.with_suffix(".csv")), "-t", "c", "-o", str(path)])
print(done.exit_code, done.stderr.strip())
"""
SENTENCE = "This needs polars, which is not installed here: pip install polars."


def test_models_without_polars():
    done = subprocess.run([sys.executable, "-c", WITHOUT_POLARS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [SENTENCE, SENTENCE, f"2 Error: {SENTENCE}"]


def test_a_library_that_lacks_one_of_its_own_says_which(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        _ = WhenUsed("half_there").anything
