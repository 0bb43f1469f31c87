"""What is at the top of bayleaf, that every room is there at once, and that names of packages hide nothing."""

import importlib.machinery
import importlib.util
import inspect
import pkgutil
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bayleaf as bl
from bayleaf import _names
from bayleaf.learn import register
from bayleaf.learn.register import settings_of
from bayleaf.models.settings import spelled

ROOMS = tuple(
    found.name
    for found in pkgutil.iter_modules(bl.__path__)
    if found.ispkg and found.name not in ("_util", "cli")
)
LEARNING = ("discovery", "parameters", "register", "scores", "search", "selection", "structure", "tuning")


def test_few_names_are_at_the_top():
    assert 25 <= len(bl.__all__) <= 50
    assert len(bl.__all__) == len(set(bl.__all__))
    for name in bl.__all__:
        assert getattr(bl, name) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_there_in_a_fresh_interpreter(room):
    """Whatever else was imported before: nothing."""
    script = f"import bayleaf as bl; print('{room}' in dir(bl), end=' '); print(bl.{room}.__name__)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:  # an extra that is not installed
        assert done.stdout == "False "  # nor offered
        assert done.stderr.splitlines()[-1].startswith("ImportError: ")
        assert "pip install 'bayleaf[" in done.stderr
    else:
        assert done.stdout == f"True bayleaf.{room}\n"


def test_the_rooms_of_learners_are_there_in_a_fresh_interpreter():
    rooms = ", ".join(f"bl.learn.{name}.__name__" for name in LEARNING)
    script = f"import bayleaf as bl; print({rooms})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"bayleaf.learn.{name}" for name in LEARNING]


def test_a_room_does_not_bring_those_above_it():
    script = "import sys, bayleaf as bl; bl.graph; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "bayleaf.graph" in loaded.split()
    assert not {"bayleaf.learn", "bayleaf.network", "bayleaf.classify", "bayleaf.benchmark"} & {
        *loaded.split()
    }


def test_completion_offers_the_rooms():
    assert set(ROOMS) - {"spark"} <= set(dir(bl))
    assert set(LEARNING) <= set(dir(bl.learn))
    assert ("spark" in dir(bl)) == (importlib.util.find_spec("pyspark") is not None)
    assert all(getattr(bl, name) is not None for name in dir(bl))


def test_whatever_looks_at_all_names_can():
    """``help(bayleaf)`` does; Spark is an extra, whose room cannot be loaded without it."""
    members = dict(inspect.getmembers(bl))
    assert set(dir(bl)) <= set(members)
    assert members["BayesNetClassifier"] is bl.BayesNetClassifier
    shown = pydoc.render_doc(bl, renderer=pydoc.plaintext)
    assert "class BayesNetClassifier(" in shown
    assert "class NetworkPool(" in shown


@pytest.mark.parametrize("installed", [True, False])
def test_the_room_of_spark_is_offered_where_spark_is(monkeypatch, installed):
    found = importlib.machinery.ModuleSpec("pyspark", None) if installed else None
    monkeypatch.setattr(_names, "_find_spec", lambda name: found if name == "pyspark" else pytest.fail(name))
    assert ("spark" in dir(bl)) is installed
    assert set(ROOMS) - {"spark"} <= set(dir(bl))


def test_scores_and_selectors_are_found_without_a_warning():
    for name, learner in register.learners().items():
        assert getattr(bl, name) is learner
        assert name in dir(bl)
    assert {"MDL", "BDeu", "CrossValidatedRisk", "MMPC", "BayesFactorSelector", "G2"} <= set(dir(bl))


def test_there_is_nothing_else():
    with pytest.raises(AttributeError, match="module 'bayleaf' has no attribute 'Forest'"):
        _ = bl.Forest
    with pytest.raises(AttributeError, match="module 'bayleaf' has no attribute 'named'"):
        _ = bl.named
    with pytest.raises(AttributeError, match=r"module 'bayleaf\.learn' has no attribute 'nothing'"):
        _ = bl.learn.nothing


def imported(name):
    """Return a module; None for one of an extra that is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if "pip install 'bayleaf[" not in str(error):
            raise
        return None


def packages():
    yield bl
    for found in pkgutil.walk_packages(bl.__path__, "bayleaf."):
        package = imported(found.name) if found.ispkg else None
        if package is not None:
            yield package


@pytest.mark.parametrize("package", list(packages()), ids=lambda package: package.__name__)
def test_no_name_of_a_package_hides_a_module_of_it(package):
    """``import bayleaf.x as m`` gives the attribute x of bayleaf, whatever it is."""
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if found.name.endswith("__main__"):
            continue
        module = imported(found.name)
        attribute = module and getattr(package, found.name.rpartition(".")[2])
        assert attribute is module, f"{found.name} is hidden by {attribute!r}"


def test_learners_are_registered_by_the_names_in_their_rooms():
    bases = {base.__name__ for base in register.BASES}
    assert set(register.learners("structure", "structures")) == set(bl.learn.structure.__all__) - bases
    assert not set(register.learners("structure")) & set(register.learners("structures"))
    assert {"MDLP", "Cuts"} <= set(register.learners("discretizer"))
    assert set(register.learners("selector", "test")) == set(bl.learn.selection.__all__) - bases
    assert not set(register.learners("selector")) & set(register.learners("test"))
    assert not bases & set(register.learners())
    for kind, (rooms, _) in register.KINDS.items():
        for name, learner in register.learners(kind).items():
            assert learner.__name__ == name
            assert any(name in room.__all__ for room in rooms)
            assert inspect.getdoc(learner)


def test_every_registered_learner_is_on_a_page_of_the_reference():
    pages = Path(__file__).resolve().parents[2] / "docs" / "api"
    shown = set(
        re.findall(r"^::: (\S+)", "\n".join(page.read_text() for page in pages.glob("*.md")), re.MULTILINE)
    )
    for rooms, _ in register.KINDS.values():
        for room in rooms:
            assert shown & {room.__name__, room.__name__.rpartition(".")[0]}


def test_a_learner_is_registered_by_one_line_in_its_room(monkeypatch, tmp_path):
    """From then on model files, the command line and the lines of the model page know it."""

    class Lonely(bl.NaiveBayes):
        def __init__(self, mood="blue"):
            self.mood = mood

    X, y = [["a", "x"], ["b", "y"]] * 10, [0, 1] * 10
    monkeypatch.setattr(bl.learn.structure, "Lonely", Lonely, raising=False)
    monkeypatch.setattr(bl.learn.structure, "__all__", [*bl.learn.structure.__all__, "Lonely"])
    clf = bl.BayesNetClassifier(**settings_of(["structure=Lonely(mood=red)"])).fit(X, y)
    assert spelled(clf) == "bl.BayesNetClassifier(structure=bl.Lonely(mood='red'))"
    clf.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert type(loaded.structure) is Lonely
    assert loaded.structure.mood == "red"
