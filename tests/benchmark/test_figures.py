"""Figures are drawn without pyplot, hold the numbers they should, and their labels do not overlap."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import bayleaf
from bayleaf.benchmark import (
    CrossValidation,
    LearningCurve,
    Scoreboard,
    bonferroni_dunn,
    box_plot,
    critical_difference_diagram,
    learning_curve,
    learning_curve_plot,
    nemenyi,
    reliability_diagram,
    roc_plot,
    scatter_plot,
)
from bayleaf.quality import Outcome, out_of_fold


def board_of(methods, rows=15, higher_is_better=False):
    rng = np.random.default_rng(0)
    values = rng.random((rows, 1)) * 0.5 + 0.1 * rng.random((rows, methods))
    names = [f"method number {i}" for i in range(methods)]
    return Scoreboard(values, names, higher_is_better=higher_is_better, measure="zero-one loss")


def drawn_texts(figure):
    """Every text that really reaches the page (tick labels outside the axes exist but are not drawn)."""
    drawn = []
    draw = Text.draw

    def record(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        return draw(text, renderer, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", record)
        figure.draw_without_rendering()
    return list(dict.fromkeys(drawn))


def assert_readable(figure):
    """No two texts overlap and none leaves the figure; return the texts."""
    assert isinstance(figure, Figure)
    texts = drawn_texts(figure)
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    boxes = [(name, box) for name, box in boxes if box.width > 0]
    page = figure.bbox
    for name, box in boxes:
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, f"'{name}' leaves the figure"
    for i, (first, a) in enumerate(boxes):
        for second, b in boxes[:i]:
            apart = a.x1 <= b.x0 + 1 or b.x1 <= a.x0 + 1 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
            assert apart, f"'{first}' and '{second}' overlap"
    return texts


@pytest.fixture(scope="module")
def outcomes():
    X, y = load_iris(return_X_y=True)
    methods = {"NB": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    return {name: out_of_fold(method, X, y, CrossValidation(5)) for name, method in methods.items()}


@pytest.mark.parametrize("methods", [2, 3, 5, 14])
def test_critical_difference_diagram(methods):
    board = board_of(methods)
    test = nemenyi(board)
    figure = critical_difference_diagram(test)
    words = " ".join(text.get_text() for text in assert_readable(figure))
    for name, rank in test.ranks.items():
        assert name in words
        assert f"{rank:.2f}" in words
    assert_readable(critical_difference_diagram(bonferroni_dunn(board, board.methods[0])))


@pytest.mark.parametrize(("rivals", "higher_is_better"), [(1, True), (2, False), (5, True)])
def test_scatter_plot(rivals, higher_is_better):
    board = board_of(rivals + 1, higher_is_better=higher_is_better)
    deviations = {method: np.full(15, 0.02) for method in board.methods}
    figure = scatter_plot(board, board.methods[0], deviations=deviations)
    assert_readable(figure)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert len(shown) == rivals
    points = shown[0].collections[-1].get_offsets()
    assert np.allclose(points, np.column_stack([board.values[:, 0], board.values[:, 1]]))


@pytest.mark.parametrize("relative", [True, False])
def test_box_plot_sorts_by_median(relative):
    board = board_of(6)
    figure = box_plot(board, relative_to_best=relative)
    assert_readable(figure)
    best = board.values.min(axis=1, keepdims=True)
    medians = np.median(board.values - best if relative else board.values, axis=0)
    from_top = [label.get_text() for label in reversed(figure.axes[0].get_yticklabels())]
    assert from_top == [board.methods[i] for i in np.argsort(medians)]


def test_reliability_diagram_and_roc(outcomes):
    texts = assert_readable(reliability_diagram(outcomes))
    assert not any("$" in text.get_text() for text in texts)
    figure = roc_plot(outcomes, positive=1)
    assert_readable(figure)
    assert len(figure.axes[0].get_lines()) == 3


def test_learning_curve_and_its_plot():
    X, y = load_iris(return_X_y=True)
    methods = {"NB": GaussianNB(), "tree": DecisionTreeClassifier()}
    curve = learning_curve(methods, (X, y), [100, 30, 60], CrossValidation(4))
    assert curve.sizes.tolist() == [30, 60, 100]
    assert curve.means["NB"].shape == (3,)
    figure = learning_curve_plot(curve)
    assert_readable(figure)
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["NB", "tree"]


def test_many_methods_differ_in_look():
    sizes = np.array([10, 100])
    curve = LearningCurve(
        sizes,
        {str(i): np.array([0.5, 0.1 * i]) for i in range(10)},
        dict.fromkeys(map(str, range(10)), np.zeros(2)),
        "loss",
    )
    lines = learning_curve_plot(curve).axes[0].get_lines()
    looks = {(line.get_color(), line.get_marker(), str(line.get_linestyle())) for line in lines}
    assert len(looks) == 10


def test_settings_of_matplotlib_stay_as_they_are():
    before = dict(matplotlib.rcParams)
    box_plot(board_of(3))
    assert dict(matplotlib.rcParams) == before


def test_pyplot_is_not_loaded():
    # It would choose a way to show windows and keep every figure; nothing else in matplotlib loads it.
    for path in Path(bayleaf.__file__).parent.rglob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert not [line for line in lines if "import" in line and "pyplot" in line], path


def test_errors_say_what_is_wrong(outcomes):
    with pytest.raises(ValueError, match="no probabilities of the class 'rose'"):
        roc_plot(outcomes, positive="rose")
    mute = Outcome.of([0, 1], [0, 1], predicted=[0, 0])
    with pytest.raises(ValueError, match="needs probabilities"):
        reliability_diagram({"mute": mute})
    with pytest.raises(ValueError, match="rows of class 1 and rows of others"):
        roc_plot({"one": Outcome.of([1], [0, 1], [[0.5, 0.5]])}, positive=1)
