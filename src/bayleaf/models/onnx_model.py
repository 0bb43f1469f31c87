r"""A fitted classifier as an ONNX graph, for services without Python: one input per column, a label, probabilities.

The log-joint of a row, or its evidence, is a sum of entries of tables. In trees, missing values are summed out by
messages from the leaves up. Feature j sends to its parent

.. math:: M_j(s) = \log \sum_x P(x | s, c) \exp S_j(x),

for each state s of the parent and each class c, where S_j(x) is the sum of the messages of its children at x. The sum
is over all states x, or has the value of the feature alone if that is known. Only rows that need it take this way.

A pool adds up entries of tables and quadratic forms.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.params import require
from bayleaf.classify import NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import Variable
from bayleaf.data.dates import MOMENTS
from bayleaf.data.raw_columns import EXACT
from bayleaf.data.variable import WORD, example_text
from bayleaf.network import BayesNet
from bayleaf.network.decisions import EQUAL, PRIOR_DECIMALS
from bayleaf.network.member import TwoReadings
from bayleaf.network.predictors import how_it_predicts
from bayleaf.pool.additive import AdditiveScore
from bayleaf.pool.mixture import GapFallback, ScoreMixture

from .sql_query import LOG_ZERO, may_be_missing

FloatArray = NDArray[np.float64]

# Operators as these versions have them, which runtimes have known for years.
OPERATORS, LEARNED_OPERATORS, FORMAT = 17, 3, 8


def to_onnx(model: Any) -> Any:
    """Return a fitted classifier as an ONNX model; see `BayesNetClassifier.to_onnx`."""
    check_is_fitted(model)
    graph = Graph()
    if isinstance(model, NetworkPool):
        features = model.schema_.features
        posterior = _of_pool(graph, model.mixture_, features, [_code(graph, each) for each in features])
        label = _decision(graph, posterior, model.classes_, model.mixture_.prior, model._costs())
        return graph.model(label, posterior, model.classes_)
    if not isinstance(model, BayesNetClassifier):
        raise TypeError(
            f"{type(model).__name__} cannot be written as an ONNX graph: use a BayesNetClassifier or a NetworkPool, "
            "or predict_proba."
        )
    predictor = model._member.predictor
    network = predictor.network if isinstance(predictor, TwoReadings) else predictor
    if not isinstance(network, BayesNet):
        raise TypeError(
            f"This model {how_it_predicts(network)}, which an ONNX graph cannot express: use predict_proba."
        )
    codes = [_code(graph, variable) for variable in network.variables[:-1]]
    if isinstance(predictor, TwoReadings):
        scores, nothing = _read_in_two_ways(graph, predictor, codes)
    else:
        scores, nothing = (
            _log_joint(graph, network, codes),
            _nothing_known(graph, network.variables[:-1], codes),
        )
    posterior = _posterior(graph, scores, nothing, model._prior)
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

    def filled(
        self, values: str, where: str, columns: Sequence[str], find: Callable[[Sequence[str]], str]
    ) -> str:
        """Return values, some of whose rows are found by steps of their own, from columns with those rows alone."""
        some = self.add("NonZero", where)
        rows = self.add("Squeeze", some, self.constant(np.array([0])))
        found = find([self.add("Gather", column, rows, axis=0) for column in columns])
        return self.add("ScatterND", values, self.add("Transpose", some, perm=[1, 0]), found)

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
    if variable.part == WORD:
        raise ValueError(
            f"Column '{variable.source}' is free text, whose words an ONNX graph cannot find: fit the model without "
            "it, or to columns that say which words there are."
        )
    if variable.dtype in MOMENTS or variable.source is not None:
        raise ValueError(
            f"Column '{variable.source or variable.name}' holds dates or times, which an ONNX graph cannot read: use "
            "numbers, texts or truth values."
        )
    if variable.reading is not None:
        raise ValueError(
            f"Column '{variable.name}' was read from texts such as {example_text(variable)!r} ({variable.reading}), "
            "which an ONNX graph cannot read: fit the model to numbers."
        )
    missing = variable.arity if variable.fill is None else variable.fill
    unknown = variable.arity if variable.gap else missing
    if variable.other is not None:
        unknown = variable.other
    is_text = variable.cuts is None and variable.dtype == "string"
    column = graph.input(variable.name, is_text=is_text)
    for mark in () if is_text else variable.marks:
        if not isinstance(mark, str):
            is_mark = graph.add("Equal", column, graph.constant(np.array([[mark]])))
            column = graph.add("Where", is_mark, graph.constant(np.array([[np.nan]])), column)
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
    for mark in ("", *(mark for mark in variable.marks if isinstance(mark, str))):
        if mark not in texts:
            texts, codes = [*texts, mark], [*codes, missing]
    return graph.add(
        "LabelEncoder",
        column,
        domain="ai.onnx.ml",
        keys_strings=texts,
        values_int64s=codes,
        default_int64=unknown,
    )


def _log_joint(graph: Graph, network: BayesNet, codes: Sequence[str], *, emptied: bool = False) -> str:
    """Return log P(class, row), of shape (rows, classes), missing values summed out where the network is a tree.

    In others, a missing value that no feature depends on adds nothing; any other makes the sum NaN. ``emptied``
    says that states that stand for a missing value can be missing too.
    """
    parts = [_entries(graph, *_with_gaps(network, node), codes) for node in range(len(network.nodes))]
    looked_up = _total(graph, parts)
    sums = TreeSums(graph, network)
    inner = [variable for variable in network.variables[:-1] if network.children(variable.name)]
    if not (sums.can_be and any(may_be_missing(each) or (emptied and each.gap) for each in inner)):
        return looked_up
    first = graph.add("Gather", looked_up, graph.constant(np.array(0)), axis=1)
    return graph.filled(looked_up, graph.add("IsNaN", first), codes, sums.log_joint)


def _with_gaps(network: BayesNet, node: int) -> tuple[FloatArray, list[int]]:
    """Return the logarithms of a family's table, an axis per feature, the missing value last, then the classes."""
    target = len(network.nodes) - 1
    family = [*network.dag.parent_indices[node], node]
    table = _logs(network.tables[node])
    if target in family:
        table = np.moveaxis(table, family.index(target), -1)
        family.remove(target)
    else:
        table = np.repeat(table[..., None], network.variables[target].arity, axis=-1)
    table = np.pad(table, [*[(0, 1)] * len(family), (0, 0)], constant_values=np.nan)
    if family and node != target and not network.children(network.nodes[node]):
        table[..., -1, :] = 0.0
    return table, family


def _entries(graph: Graph, table: NDArray[Any], family: Sequence[int], codes: Sequence[str]) -> str:
    """Return the entries of a table for the codes of a row, of shape (rows, classes)."""
    classes = table.shape[-1]
    if not family:
        return graph.constant(table[None])
    index = codes[family[0]]
    for other, size in zip(family[1:], table.shape[1:-1], strict=True):
        scaled = graph.add("Mul", index, _whole(graph, size))
        index = graph.add("Add", scaled, codes[other])
    entries = graph.add("Gather", graph.constant(table.reshape(-1, classes)), index, axis=0)
    return graph.add("Squeeze", entries, graph.constant(np.array([1])))


def _total(graph: Graph, parts: Sequence[str]) -> str:
    total = parts[0]
    for part in parts[1:]:
        total = graph.add("Add", total, part)
    return total


def _logs(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(probabilities), LOG_ZERO)


class TreeSums:
    """Log-joints of a network in which each feature has at most one other for a parent, missing values summed out.

    Messages have the shape (classes, rows, states of the parent).
    """

    def __init__(self, graph: Graph, network: BayesNet) -> None:
        self._graph = graph
        self._network = network
        self._class = len(network.nodes) - 1
        self._classes = network.variables[-1].arity

    @property
    def can_be(self) -> bool:
        """Whether the network is such a tree, or several."""
        parents_of = self._network.dag.parent_indices
        return not parents_of[self._class] and all(
            len([parent for parent in parents if parent != self._class]) <= 1 for parents in parents_of
        )

    def log_joint(self, codes: Sequence[str]) -> str:
        """Return log P(class, row), of shape (rows, classes)."""
        graph, parents_of = self._graph, self._network.dag.parent_indices
        received: list[list[str]] = [[] for _ in codes]
        ends: list[str] = []  # what roots say, of shape (classes, rows, 1)
        for node in reversed(self._network.dag.topological_indices):
            if node != self._class:
                message = self._message(node, received[node], codes[node])
                above = [parent for parent in parents_of[node] if parent != self._class]
                (received[above[0]] if above else ends).append(message)
        prior = graph.constant(_logs(self._network.tables[self._class])[:, None, None])
        summed = _total(graph, [prior, *ends])
        return graph.add(
            "Transpose", graph.add("Squeeze", summed, graph.constant(np.array([2]))), perm=[1, 0]
        )

    def _message(self, node: int, received: Sequence[str], code: str) -> str:
        graph, table = self._graph, self._table(node)
        of_row = graph.add("Squeeze", code, graph.constant(np.array([1])))
        if not received:  # a missing value adds nothing
            entries = np.pad(_logs(table), [(0, 0), (0, 1), (0, 0)])
            return graph.add("Gather", graph.constant(entries), of_row, axis=1)
        states = table.shape[1]
        # 0 at states that are possible, the known one or all; others are out of question.
        known = np.where(np.eye(states, dtype=bool), 0.0, -np.inf)
        possible = np.vstack([known, np.zeros(states)])
        own = graph.add("Gather", graph.constant(possible), of_row, axis=0)
        said = _total(graph, [own, *received])
        top = graph.add("ReduceMax", said, axes=[2], keepdims=1)
        shares = graph.add("Exp", graph.add("Sub", said, top))
        summed = graph.add("Log", graph.add("MatMul", shares, graph.constant(table)))
        least = graph.add("Max", summed, graph.constant(np.array(LOG_ZERO)))
        return graph.add("Add", least, top)

    def _table(self, node: int) -> FloatArray:
        """Return P(node | parent, class) as [class, state, state of the parent]; a root's parent has one state."""
        parents = self._network.dag.parent_indices[node]
        table = self._network.tables[node]
        if self._class in parents:
            table = np.moveaxis(table, parents.index(self._class), 0)
        else:
            table = np.repeat(table[None], self._classes, axis=0)
        if table.ndim == 2:
            table = table[:, None]
        return np.ascontiguousarray(np.swapaxes(table, 1, 2))


def _read_in_two_ways(graph: Graph, readings: TwoReadings, codes: Sequence[str]) -> tuple[str, str | None]:
    """Return the scores of classes, and where nothing is known; see `bayleaf.network.member`."""
    network, features = readings.network, readings.gaps.features
    variables = network.variables[:-1]
    if not (features and (any(map(may_be_missing, variables)) or readings.gaps.are_states)):
        return _evidence(graph, readings, codes), None
    gaps = _telling_gaps(graph, variables, codes)
    caution = readings.gap_caution
    weights = caution.of_share(caution.share(np.arange(features + 1), features))
    of_evidence, of_network, of_prior = (
        _by_count(graph, values, gaps) for values in (*weights, 1.0 - weights.sum(axis=0))
    )
    cautious = _by_count(graph, (weights[0] != 1.0) | (weights[1] != 0.0), gaps)
    codes = [
        _emptied(graph, code, variable, cautious) if variable.gap else code
        for code, variable in zip(codes, variables, strict=True)
    ]
    evidence, log_prior = _evidence(graph, readings, codes), graph.constant(np.log(readings.prior)[None])
    mixed = graph.add("Add", graph.add("Mul", of_evidence, evidence), graph.add("Mul", of_prior, log_prior))
    if weights[1].any():
        counts = graph.add("Greater", of_network, graph.constant(np.array([[0.0]])))
        found = graph.filled(
            graph.add("Mul", of_network, graph.constant(np.zeros((1, len(readings.prior))))),
            graph.add("Squeeze", counts, graph.constant(np.array([1]))),
            codes,
            partial(_log_joint, graph, network, emptied=True),
        )
        mixed = graph.add("Add", mixed, graph.add("Mul", of_network, found))
    return mixed, graph.add("GreaterOrEqual", gaps, _whole(graph, features))


def _by_count(graph: Graph, values: NDArray[Any], gaps: str) -> str:
    """Return a number or truth value by the number of gaps, of shape (rows, 1)."""
    return graph.add("Gather", graph.constant(values), gaps, axis=0)


def _emptied(graph: Graph, code: str, variable: Variable, cautious: str) -> str:
    """Return the codes of a column, in rows with caution without the state that stands for a missing value."""
    is_gap = graph.add("Equal", code, _whole(graph, variable.arity - 1))
    return graph.add("Where", graph.add("And", is_gap, cautious), _whole(graph, variable.arity), code)


def _evidence(graph: Graph, readings: TwoReadings, codes: Sequence[str]) -> str:
    """Return the sum of what is said of the classes by each value of a row, and before any."""
    parts = [graph.constant(np.maximum(readings.evidence.log_prior, LOG_ZERO)[None])]
    for node, table in enumerate(readings.evidence.tables):
        family = [j for j in (*readings.dag.parent_indices[node], node) if j < len(codes)]
        if table.any() or node == 0:  # with one of the columns the sum has as many rows as these
            parts.append(_entries(graph, np.maximum(table, LOG_ZERO), family, codes))
    return _total(graph, parts)


def _telling_gaps(graph: Graph, variables: Sequence[Variable], codes: Sequence[str]) -> str:
    """Return the number of gaps, as `bayleaf.network.member.Gaps` counts them."""
    telling = [j for j, variable in enumerate(variables) if variable.arity > 1]
    first = [variables[j].arity - variables[j].gap for j in telling]
    return _count(graph, [codes[j] for j in telling], first)


def _count(graph: Graph, codes: Sequence[str], first: Sequence[int]) -> str:
    """Return how many of the codes of a row are gaps, of shape (rows, 1); ``first`` are the codes of gaps."""
    row = graph.add("Concat", *codes, axis=1)
    gaps = graph.add("GreaterOrEqual", row, graph.constant(np.array([first], dtype=np.int64)))
    return graph.add("ReduceSum", graph.add("Cast", gaps, to=7), graph.constant(np.array([1])), keepdims=1)


def _nothing_known(graph: Graph, variables: Sequence[Variable], codes: Sequence[str]) -> str | None:
    """Return where all values of a row are missing; None where this cannot be."""
    if not (variables and all(map(may_be_missing, variables))):
        return None
    gaps = _count(graph, codes, [variable.arity for variable in variables])
    return graph.add("Equal", gaps, _whole(graph, len(variables)))


def _of_pool(graph: Graph, mixture: ScoreMixture, features: Sequence[Variable], codes: Sequence[str]) -> str:
    """Return the probabilities of a pool, see `bayleaf.pool.mixture`."""
    found, prior = _mixture(graph, mixture, features, codes), graph.constant(mixture.prior[None])
    if mixture.fallback is not None:
        unforeseen, instead = _backed_off(graph, mixture.fallback, features, codes)
        found = graph.add("Where", unforeseen, instead, found)
    nothing = _nothing_known(graph, features, codes)
    return found if nothing is None else graph.add("Where", nothing, prior, found)


def _mixture(graph: Graph, mixture: ScoreMixture, features: Sequence[Variable], codes: Sequence[str]) -> str:
    """Return the mean probabilities of scores, and a little of the class frequencies."""
    each = [graph.add("Softmax", _score(graph, score, features, codes), axis=1) for score in mixture.scores]
    # One number for each class: a runtime leaves out a single factor that is nearly one.
    shared = graph.add("Mul", _total(graph, each), graph.constant(np.full_like(mixture.prior, mixture.share)))
    return graph.add("Add", shared, graph.constant(mixture.caution * mixture.prior[None]))


def _score(graph: Graph, score: AdditiveScore, features: Sequence[Variable], codes: Sequence[str]) -> str:
    """Return the score of each class against the first, whose own is zero."""

    def of_code(column: int, values: NDArray[Any]) -> str:
        """Return the value of a code, the last one where it is missing."""
        places = np.minimum(np.arange(features[column].arity + 1), len(values) - 1)
        return graph.add("Gather", graph.constant(values[places]), codes[column], axis=0)

    parts = [graph.constant(np.append(0.0, score.bias)[None])]
    states = [of_code(reading.column, reading.states.astype(np.int64)) for reading in score.readings]
    arities = [reading.arity for reading in score.readings]
    for term in score.terms:
        table = np.pad(term.table, [(0, 0), (1, 0)]).reshape(*(arities[k] for k in term.readings), -1)
        parts.append(graph.add("Cast", _entries(graph, table, term.readings, states), to=11))  # doubles
    for form in score.forms:
        values = [of_code(column, own) for column, own in zip(form.columns, form.values, strict=True)]
        numbers = graph.add("Concat", *values, axis=1)
        sums = [graph.add("Mul", values[0], graph.constant(np.array([[0.0]])))]
        for matrix in form.matrices:
            product = graph.add("Mul", numbers, graph.add("MatMul", numbers, graph.constant(-0.5 * matrix)))
            sums.append(graph.add("ReduceSum", product, graph.constant(np.array([1])), keepdims=1))
        parts.append(graph.add("Concat", *sums, axis=1))
    return _total(graph, parts)


def _backed_off(
    graph: Graph, fallback: GapFallback, features: Sequence[Variable], codes: Sequence[str]
) -> tuple[str, str]:
    """Return where the networks of a pool answer alone, and what they say there."""
    read = list(fallback.columns)
    known, own = [features[j] for j in read], [codes[j] for j in read]
    rarely = [j for j, seldom in zip(read, fallback.seldom, strict=True) if seldom]
    gaps = _telling_gaps(graph, known, own)
    tests = [
        (gaps, fallback.gap_caution.usual),
        (_count(graph, own, fallback.arities), fallback.most),
        *(
            [(_count(graph, [codes[j] for j in rarely], [features[j].arity for j in rarely]), 0)]
            if rarely
            else []
        ),
    ]
    more = [graph.add("Greater", count, _whole(graph, most)) for count, most in tests]
    unforeseen = more[0]
    for test in more[1:]:
        unforeseen = graph.add("Or", unforeseen, test)
    caution, total = fallback.gap_caution, fallback.gaps.features
    (weights,) = caution.of_share(caution.share(np.arange(total + 1), total))
    weight, cautious = _by_count(graph, weights, gaps), _by_count(graph, weights != 1.0, gaps)
    emptied = [
        _emptied(graph, code, variable, cautious) if j in read and variable.gap else code
        for j, (code, variable) in enumerate(zip(codes, features, strict=True))
    ]
    alone, prior = _mixture(graph, fallback.mixture, features, emptied), fallback.mixture.prior[None]
    of_prior = graph.add("Mul", _by_count(graph, 1.0 - weights, gaps), graph.constant(np.log(prior)))
    mixed = graph.add("Add", graph.add("Mul", weight, graph.add("Log", alone)), of_prior)
    nothing = _by_count(graph, weights == 0.0, gaps)
    return unforeseen, graph.add("Where", nothing, graph.constant(prior), graph.add("Softmax", mixed, axis=1))


def _posterior(graph: Graph, scores: str, nothing: str | None, prior: NDArray[np.float64]) -> str:
    """Return probabilities that sum to one; the prior where nothing is known, or a row is impossible."""
    top = graph.add("ReduceMax", scores, axes=[1], keepdims=1)
    parts = graph.add("Exp", graph.add("Sub", scores, top))
    whole = graph.add("ReduceSum", parts, graph.constant(np.array([1])), keepdims=1)
    unanswered = graph.add("Less", top, graph.constant(np.array([[LOG_ZERO / 2]])))
    if nothing is not None:
        unanswered = graph.add("Or", unanswered, nothing)
    return graph.add("Where", unanswered, graph.constant(prior[None]), graph.add("Div", parts, whole))


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
        # Not times 1 - EQUAL: a runtime leaves out a single factor that is nearly one, or term that is nearly zero.
        limit = graph.add("Sub", best, graph.add("Mul", best, graph.constant(np.array([[EQUAL]]))))
        equal = graph.add("GreaterOrEqual", posterior, limit)
    else:  # see bayleaf.network.decisions.cheapest
        risk = graph.add("MatMul", posterior, graph.constant(costs))
        least = graph.add("ReduceMin", risk, axes=[1], keepdims=1)
        size = graph.add("Add", graph.add("Abs", least), graph.constant(np.array([[1e-3]])))
        slack = graph.add("Mul", size, graph.constant(np.array([[1e-12]])))
        equal = graph.add("LessOrEqual", risk, graph.add("Add", least, slack))
    order = np.argsort(-prior.round(PRIOR_DECIMALS), kind="stable")
    arranged = graph.add("Gather", graph.add("Cast", equal, to=7), graph.constant(order), axis=1)
    first = graph.add("ArgMax", arranged, axis=1, keepdims=0)
    return graph.add("Gather", graph.constant(_labels(classes[order])), first, axis=0)
