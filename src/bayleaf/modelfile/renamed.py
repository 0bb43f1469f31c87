"""Names of published methods that meant something else when older files were written."""

from dataclasses import replace
from typing import Any

from bayleaf.ensemble import BaggedClassifier
from bayleaf.record import PublishedMethod, TrainingRecord
from bayleaf.structure import FKDB, MCDAG


def named_as_today(record: TrainingRecord, model: Any) -> TrainingRecord:
    """Return the record with the name that the loaded model's method has now.

    RTAN voted where its name did not say so, FKDB was the one without functional dependencies, and MC-DAG a search
    over single graphs. The model itself is as it was; a command that used the name would learn another one today, and
    is left out.

    Examples
    --------
    >>> import bayleaf as bl
    >>> clf = bl.classifier("FKDB-plain", k=1).fit([["a"], ["b"]] * 5, [0, 1] * 5)
    >>> before = replace(clf.training_, method=replace(clf.training_.method, name="FKDB"))
    >>> print(named_as_today(before, clf).method)
    FKDB-plain(k=1)
    """
    method = record.method
    today = None if method is None else _today(method, model)
    return record if today == method else replace(record, method=today, command=None)


def _today(method: PublishedMethod, model: Any) -> PublishedMethod:
    structure = getattr(model, "structure", None)
    if method.name == "RTAN" and isinstance(model, BaggedClassifier) and model.vote == "majority":
        return replace(method, settings={**method.settings, "vote": repr(model.vote)})
    if method.name == "FKDB-FD":
        return replace(method, name="FKDB")
    if method.name == "FKDB" and isinstance(structure, FKDB) and not structure.functional_dependencies:
        return replace(method, name="FKDB-plain")
    if method.name == "MC-DAG" and isinstance(structure, MCDAG):
        return replace(method, name="MC-DAG-HC")
    return method
