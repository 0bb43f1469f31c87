"""What to measure next: how much each value that is still unknown is expected to tell about the class.

For an unknown feature X and the known values e, the expected information is the mutual information I(C; X | e) in
bits: by how much measuring X lowers the uncertainty about the class, on average over what may be found. It is exact.
"""

from typing import Any

import numpy as np
from scipy.special import logsumexp

from bayleaf.data import Table

from .joint_model import JointModel, blocks, information, n_values, with_each_value

COLUMNS = ("feature", "information", "lowest", "highest", "change")


def value_of_information(model: JointModel, table: Table) -> list[tuple[Any, ...]]:
    """Return a line for each feature that the only row of a table lacks, the most telling first (see `COLUMNS`)."""
    unknown = [j for j in range(table.n_variables) if table.gaps(j)[0] and n_values(table, j) > 1]
    if not unknown:
        return []
    now = int(model.decide(model.posteriors(model.log_joint(table)))[0])
    log_joint = model.log_joint(with_each_value(table, unknown, alone=False))
    lines: list[tuple[Any, ...]] = []
    for j, block in zip(unknown, blocks(table, unknown), strict=True):
        of_feature = log_joint[block]
        total = logsumexp(of_feature)
        if np.isneginf(total):  # the known values are impossible: nothing can be said
            lines.append((table.names[j], 0.0, None, None, 0.0))
            continue
        joint = np.exp(of_feature - total)
        share = joint.sum(axis=1)
        possible = share > 0
        posterior = model.posteriors(of_feature[possible])
        other = model.decide(posterior) != now
        lines.append(
            (
                table.names[j],
                information(joint),
                float(posterior[:, now].min()),
                float(posterior[:, now].max()),
                float(share[possible] @ other),
            )
        )
    return sorted(lines, key=lambda line: -round(line[1], 12))
