"""``pip install bayleaf`` is without polars: models of arrays and of other libraries' tables do not need it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bayleaf._util import optional
from bayleaf._util import optional as frames
from bayleaf._util.optional import LazyLibrary

# As if polars were not installed; then everything that a service does with a model, and what it cannot do.
WITHOUT_POLARS = """
import sys, tempfile
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

find_spec = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name.partition(".")[0] == "polars" else find_spec(name, *more)
found = metadata.version

def version(name):
    if name == "polars":
        raise metadata.PackageNotFoundError(name)
    return found(name)

metadata.version = version

import pandas as pd
import pyarrow as pa
import bayleaf as bl

days = pd.date_range("2024-01-01", periods=60)
columns = {
    "a": ["x", "y", None] * 20,
    "b": [1.5, 2.5, 9.0] * 20,
    "day": days.strftime("%d.%m.%Y"),
    "moment": days.strftime("%Y-%m-%dT08:15+02:00"),
    "clock": ["8:15", "21:30", "7:00 pm"] * 20,
    "zoned": (days + pd.Timedelta("10h")).tz_localize("Europe/Berlin"),
}
y = ["no", "yes", "yes"] * 20
folder = Path(tempfile.mkdtemp())
path, text = folder / "m.json", folder / "m.csv"
frame = pd.DataFrame(columns).assign(c=pd.Categorical(["lo", "hi", None] * 20, ["lo", "mid", "hi"]))
arrow = pa.Table.from_pandas(frame)
for table in (frame, arrow, arrow.to_batches()[0]):
    model = bl.BayesNetClassifier("tan", "laplace").fit(table, y)
    model.save(path)
    again = bl.load(path)
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert again.scorer()({"a": "x", "b": 1.5}).argmax() == 0
assert [variable.dtype for variable in model.schema_.features[2:6]] == ["date", "datetime", "time", "datetime"]
assert type(model.importance()) is type(model.explain(frame[:1]).to_frame()) is pd.DataFrame
assert "polars" not in model.training_.learned_with
text.write_text("a,c\\n1,x\\n2,y\\n")
for action in (lambda: bl.tables.read_data(text), lambda: bl.BayesNetClassifier().fit_from(text, "c")):
    try:
        action()
    except ImportError as error:
        print(error)
assert "polars" not in sys.modules
from typer.testing import CliRunner
from bayleaf.cli.app import app
done = CliRunner().invoke(app, ["fit", str(text), "-t", "c", "-o", str(folder / "new.json")])
print(done.exit_code, done.stderr.strip(), (folder / "new.json").exists())
bl.BayesNetClassifier("tan", "laplace").fit(frame[["a", "b", "c"]], y).save(path)
for words in (["show"], ["ask", "--mpe"], ["sql", "--table", "t"], ["report", "-o", str(folder / "m.html")]):
    shown = CliRunner().invoke(app, [words[0], str(path), *words[1:]])
    print(words[0], shown.exit_code)
"""
SENTENCE = "This needs polars, which is not installed here: pip install 'bayleaf[files]'."


def test_models_without_polars():
    done = subprocess.run([sys.executable, "-c", WITHOUT_POLARS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    commands = [f"{command} 0" for command in ("show", "ask", "sql", "report")]
    assert done.stdout.splitlines() == [SENTENCE, SENTENCE, f"2 Error: {SENTENCE} False", *commands]


def test_extras_are_those_of_the_project():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    for library, extra in optional.EXTRAS.items():
        assert library in " ".join(project["optional-dependencies"][extra])


def test_frames_are_of_the_first_library_that_is_there(monkeypatch):
    there = {"pyarrow": True}
    monkeypatch.setattr(frames, "find_spec", there.get)
    assert frames.make_frame({"a": [1]}).column_names == ["a"]
    there.clear()
    with pytest.raises(
        ImportError, match="none of polars, pandas and pyarrow is installed here: pip install pandas"
    ):
        frames.make_frame({"a": [1]})


def test_a_library_that_lacks_one_of_its_own_says_which(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        _ = LazyLibrary("half_there").anything
