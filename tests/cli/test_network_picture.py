"""The picture of a network: every node once, below one of its parents, inside the figure."""

import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import bayleaf as bl
from bayleaf.cli.demo import network_figure
from bayleaf.cli.show import anchor


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_every_node_is_on_a_line_of_its_own_below_and_right_of_a_parent(load):
    network = bl.BayesNetClassifier().fit(*load(return_X_y=True, as_frame=True)).network_
    figure = network_figure(network)
    places = {text.get_text(): text.get_position() for text in figure.axes[0].texts if text.get_text()}
    assert sorted(places) == sorted(network.nodes)
    assert len({line for _, line in places.values()}) == len(places)
    for name, (x, line) in places.items():
        parent = anchor(network, name)
        if parent is not None:
            assert places[parent][0] < x
            assert places[parent][1] < line


def test_every_box_is_inside_the_figure():
    network = bl.BayesNetClassifier().fit(*load_breast_cancer(return_X_y=True, as_frame=True)).network_
    figure = network_figure(network)
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    assert 0.4 < width / height < 2.5
    for text in figure.axes[0].texts:
        box = text.get_bbox_patch()
        if box is not None and text.get_text():
            extent = box.get_window_extent()
            assert extent.x0 > -5
            assert extent.x1 < width
