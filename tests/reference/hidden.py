"""Hidden naive Bayes by its formula, rows counted one by one."""

from reference.averaged import matching
from reference.information import conditional_mutual_information


def smoothed(rows, weights, column, state, given, arity, m=1.0) -> float:
    """P(column = state | given) = (N + m / r) / (N(given) + m), from the rows that have all these columns."""
    known = [k for k, row in enumerate(rows) if all(row[j] >= 0 for j in (column, *given))]
    rows, weights = [rows[k] for k in known], [weights[k] for k in known]
    both = matching(rows, weights, {**given, column: state})
    return (both + m / arity) / (matching(rows, weights, given) + m)


def dependence(rows, weights, i, j, target, arities) -> float:
    """I(X_i; X_j | C) from the rows that have all three."""
    return round(conditional_mutual_information(rows, [i], [j], [target], arities, weights=weights), 12)


def hidden_naive_bayes(rows, weights, arities, x) -> list[float]:
    """P(c | x): gaps of x have no factor, and as parents leave P(x_i | c) in their place."""
    target, scores = len(arities) - 1, []
    information = {
        (i, j): dependence(rows, weights, i, j, target, arities)
        for i in range(target)
        for j in range(target)
        if i != j
    }
    for c in range(arities[target]):
        score = smoothed(rows, weights, target, c, {}, arities[target])
        for i in range(target):
            if x[i] < 0:
                continue
            alone = smoothed(rows, weights, i, x[i], {target: c}, arities[i])
            total = sum(information[i, j] for j in range(target) if j != i)
            hidden = 0.0
            for j in range(target):
                if j != i and total > 0:
                    given = {j: x[j], target: c}
                    term = alone if x[j] < 0 else smoothed(rows, weights, i, x[i], given, arities[i])
                    hidden += information[i, j] / total * term
            score *= hidden if total > 0 else alone
        scores.append(score)
    return [score / sum(scores) for score in scores]
