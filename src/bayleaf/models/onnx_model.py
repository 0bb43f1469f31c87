"""A fitted classifier as an ONNX graph, for services without Python: one input per column, a label, probabilities."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.params import require
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import Variable
from bayleaf.data.dates import MOMENTS
from bayleaf.data.raw_columns import EXACT
from bayleaf.network import BayesNet
from bayleaf.network.decisions import EQUAL, PRIOR_DECIMALS
from bayleaf.network.predictors import how_it_predicts

from .sql_query import LOG_ZERO

# Operators as these versions have them, which runtimes have known for years.
OPERATORS, LEARNED_OPERATORS, FORMAT = 17, 3, 8


def to_onnx(model: Any) -> Any:
    """Return a fitted classifier as an ONNX model; see `BayesNetClassifier.to_onnx`."""
    check_is_fitted(model)
    if not isinstance(model, BayesNetClassifier):
        raise TypeError(
            f"{type(model).__name__} cannot be written as an ONNX graph: use a BayesNetClassifier, or "
            "predict_proba."
        )
    network = model._member.predictor
    if not isinstance(network, BayesNet):
        raise TypeError(
            f"This model {how_it_predicts(network)}, which an ONNX graph cannot express: use predict_proba."
        )
    graph = Graph()
    codes = [_code(graph, variable) for variable in network.variables[:-1]]
    log_joint = _log_joint(graph, network, codes)
    posterior = _posterior(graph, log_joint, model._prior)
    label = _decision(graph, posterior, model.classes_, model._prior, model._costs())
    return graph.model(label, posterior, model.classes_)


class Graph:
    """An ONNX graph that grows node by node."""

    def __init__(self) -> None:
        onnx: Any = require("onnx", extra="onnx")
        self._helper, self._numpy, self._types = onnx.helper, onnx.numpy_helper, onnx.TensorProto
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []

    def input(self, name: str, *, is_text: bool) -> str:
        """Add a column of the data, of shape (rows, 1), and return its name."""
        kind = self._types.STRING if is_text else self._types.DOUBLE
        self._inputs.append(self._helper.make_tensor_value_info(name, kind, ["rows", 1]))
        return name

    def constant(self, values: Any) -> str:
        """Add an array of numbers or texts and return its name."""
        array, name = np.asarray(values), f"constant:{len(self._constants)}"
        if array.dtype.kind in "UO":
            texts = [str(value).encode() for value in array.ravel().tolist()]
            tensor = self._helper.make_tensor(name, self._types.STRING, array.shape, texts)
        else:
            tensor = self._numpy.from_array(array, name)
        self._constants.append(tensor)
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its result."""
        name = f"step:{len(self._nodes)}"
        self._nodes.append(
            self._helper.make_node(operator, list(inputs), [name], domain=domain, **attributes)
        )
        return name

    def model(self, label: str, posterior: str, classes: NDArray[Any]) -> Any:
        """Return the whole model, with the outputs ``label`` and ``probabilities``."""
        helper, types = self._helper, self._types
        self._nodes.append(helper.make_node("Identity", [label], ["label"]))
        self._nodes.append(helper.make_node("Identity", [posterior], ["probabilities"]))
        kind = (
            helper.np_dtype_to_tensor_dtype(_labels(classes).dtype)
            if classes.dtype.kind in "biuf"
            else types.STRING
        )
        outputs = [
            helper.make_tensor_value_info("label", kind, ["rows"]),
            helper.make_tensor_value_info("probabilities", types.DOUBLE, ["rows", len(classes)]),
        ]
        graph = helper.make_graph(self._nodes, "bayleaf", self._inputs, outputs, self._constants)
        versions = [helper.make_opsetid("", OPERATORS), helper.make_opsetid("ai.onnx.ml", LEARNED_OPERATORS)]
        return helper.make_model(graph, opset_imports=versions, ir_version=FORMAT, producer_name="bayleaf")


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return class labels as ONNX has them: integers of 64 bits, floats, truth values, or texts."""
    if classes.dtype.kind in "iu":
        if classes.max() > np.iinfo(np.int64).max:
            raise ValueError(
                f"The class {classes.max()} is too large for an ONNX graph: write the classes as texts."
            )
        return classes.astype(np.int64)
    return classes if classes.dtype.kind in "bf" else classes.astype(str).astype(object)


def _code(graph: Graph, variable: Variable) -> str:
    """Return the codes of a column, of shape (rows, 1); the number of states means a missing value."""
    if variable.dtype in MOMENTS or variable.source is not None:
        raise ValueError(
            f"Column '{variable.source or variable.name}' holds dates or times, which an ONNX graph cannot read: use "
            "numbers, texts or truth values."
        )
    if variable.reading is not None:
        raise ValueError(
            f"Column '{variable.name}' was read from texts such as 1.234,50 ({variable.reading}), which an ONNX "
            "graph cannot read: fit the model to numbers."
        )
    missing = variable.arity if variable.fill is None else variable.fill
    unknown = variable.arity if variable.gap else missing
    if variable.other is not None:
        unknown = variable.other
    is_text = variable.cuts is None and variable.dtype == "string"
    column = graph.input(variable.name, is_text=is_text)
    if is_text:
        return _text_code(graph, variable, column, missing, unknown)
    if variable.dtype == "untyped":
        none = graph.add("IsNaN", column)
        return graph.add("Where", none, _whole(graph, missing), _whole(graph, missing))
    if variable.cuts is not None:
        above = graph.add("Greater", column, graph.constant(np.array([variable.cuts])))
        counted = graph.add("Cast", above, to=7)  # whole numbers
        known = graph.add("ReduceSum", counted, graph.constant(np.array([1])), keepdims=1)
    else:
        if any(abs(state) > EXACT for state in variable.value_states):  # type: ignore[arg-type]
            raise ValueError(
                f"Column '{variable.name}' has whole numbers beyond 2^53, which the doubles of an ONNX graph do not "
                "keep apart: fit the model to texts."
            )
        states = np.array([variable.value_states], dtype=np.float64)
        equal = graph.add("Cast", graph.add("Equal", column, graph.constant(states)), to=7)
        first = graph.add("ArgMax", equal, axis=1, keepdims=1)
        found = graph.add("Cast", graph.add("ReduceMax", equal, axes=[1], keepdims=1), to=9)  # a truth value
        known = graph.add("Where", found, first, _whole(graph, unknown))
    return graph.add("Where", graph.add("IsNaN", column), _whole(graph, missing), known)


def _whole(graph: Graph, number: int) -> str:
    return graph.constant(np.array([[number]], dtype=np.int64))


def _text_code(graph: Graph, variable: Variable, column: str, missing: int, unknown: int) -> str:
    """Return the codes of texts; the empty text is a missing value, unless fit has seen it as a category."""
    texts = [str(state) for state in variable.states]
    codes = list(range(len(texts)))
    if "" not in texts:
        texts, codes = [*texts, ""], [*codes, missing]
    return graph.add(
        "LabelEncoder",
        column,
        domain="ai.onnx.ml",
        keys_strings=texts,
        values_int64s=codes,
        default_int64=unknown,
    )


def _log_joint(graph: Graph, network: BayesNet, codes: Sequence[str]) -> str:
    """Return log P(class, row), of shape (rows, classes).

    A missing value that no other feature depends on adds nothing; any other makes the sum NaN.
    """
    target = len(codes)
    classes = network.variables[target].arity
    parts = []
    for node, parents in enumerate(network.dag.parent_indices):
        family = [*parents, node]
        with np.errstate(divide="ignore"):
            table = np.maximum(np.log(network.tables[node]), LOG_ZERO)
        if target in family:
            table = np.moveaxis(table, family.index(target), -1)
            family.remove(target)
        else:
            table = np.repeat(table[..., None], classes, axis=-1)
        if not family:
            parts.append(graph.constant(table[None]))
            continue
        table = np.pad(table, [*[(0, 1)] * len(family), (0, 0)], constant_values=np.nan)
        if not network.children(network.nodes[node]) and node != target:
            table[..., -1, :] = 0.0
        index = codes[family[0]]
        for other, size in zip(family[1:], table.shape[1:-1], strict=True):
            scaled = graph.add("Mul", index, _whole(graph, size))
            index = graph.add("Add", scaled, codes[other])
        entries = graph.add("Gather", graph.constant(table.reshape(-1, classes)), index, axis=0)
        parts.append(graph.add("Squeeze", entries, graph.constant(np.array([1]))))
    total = parts[0]
    for part in parts[1:]:
        total = graph.add("Add", total, part)
    return total


def _posterior(graph: Graph, log_joint: str, prior: NDArray[np.float64]) -> str:
    """Return probabilities that sum to one; the prior where a row is impossible."""
    top = graph.add("ReduceMax", log_joint, axes=[1], keepdims=1)
    parts = graph.add("Exp", graph.add("Sub", log_joint, top))
    whole = graph.add("ReduceSum", parts, graph.constant(np.array([1])), keepdims=1)
    impossible = graph.add("Less", top, graph.constant(np.array([[LOG_ZERO / 2]])))
    return graph.add("Where", impossible, graph.constant(prior[None]), graph.add("Div", parts, whole))


def _decision(
    graph: Graph,
    posterior: str,
    classes: NDArray[Any],
    prior: NDArray[np.float64],
    costs: NDArray[np.float64] | None,
) -> str:
    """Return the class that is decided for; ties go to the one with the larger prior, then to the first."""
    if costs is None:
        best = graph.add("ReduceMax", posterior, axes=[1], keepdims=1)
        limit = graph.add("Mul", best, graph.constant(np.array([[1.0 - EQUAL]])))
        equal = graph.add("GreaterOrEqual", posterior, limit)
    else:  # see bayleaf.network.decisions.cheapest
        risk = graph.add("MatMul", posterior, graph.constant(costs))
        least = graph.add("ReduceMin", risk, axes=[1], keepdims=1)
        slack = graph.add("Mul", graph.add("Abs", least), graph.constant(np.array([[1e-12]])))
        limit = graph.add("Add", graph.add("Add", least, slack), graph.constant(np.array([[1e-15]])))
        equal = graph.add("LessOrEqual", risk, limit)
    order = np.argsort(-prior.round(PRIOR_DECIMALS), kind="stable")
    arranged = graph.add("Gather", graph.add("Cast", equal, to=7), graph.constant(order), axis=1)
    first = graph.add("ArgMax", arranged, axis=1, keepdims=0)
    return graph.add("Gather", graph.constant(_labels(classes[order])), first, axis=0)
