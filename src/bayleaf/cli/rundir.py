"""The folder of an evaluation: results so far, and a record of the data they belong to."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bayleaf._util.files import atomic_write

from .data import LabelledData

RESULTS, RECORD = "results.csv", "data.json"


def prepare_folder(folder: Path, tables: Sequence[LabelledData], options: Mapping[str, Any]) -> Path:
    """Make the folder where it is not there, and return the path of its result file.

    Results that were made from other data, or with other options that change the data, are refused rather than
    mixed with new ones. So is a call without a table that has results here: they would vanish from the report.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"Cannot keep results in '{folder}': it is a file.")
    folder.mkdir(parents=True, exist_ok=True)
    record_file = folder / RECORD
    known = json.loads(record_file.read_text(encoding="utf-8")) if record_file.exists() else {}
    current = {table.name: _signature(table, options) for table in tables}
    for name, signature in current.items():
        if known.get(name, signature) != signature:
            raise ValueError(
                f"'{folder}' holds results of '{name}' from other data, another target or other columns: use another "
                "folder for --out."
            )
    left_out = [name for name in known if name not in current]
    if left_out:
        raise ValueError(
            f"'{folder}' holds results of '{left_out[0]}', which is not among the tables of this call: name all "
            "tables again together with the new ones, or use another folder for --out."
        )
    with atomic_write(record_file) as file:
        json.dump({**known, **current}, file, indent=1, ensure_ascii=False)
    return folder / RESULTS


def _signature(table: LabelledData, options: Mapping[str, Any]) -> dict[str, Any]:
    digest = hashlib.sha256(table.path.read_bytes()).hexdigest()[:16]
    return {"sha256": digest, "target": table.target.name, "features": table.features.columns, **options}
