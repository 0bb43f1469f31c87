"""Files that say what columns mean: JSON or YAML with title, labels, units, descriptions, states."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from bayleaf.data.meaning import Meaning

from .whole_files import DataFileError


def read_meaning(path: str | Path) -> Meaning:
    """Read names, units and descriptions of columns from a JSON file, or a YAML file where PyYAML is installed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "meaning.json"
    >>> _ = path.write_text('{"labels": {"bp": "Blood pressure"}, "units": {"bp": "mmHg"}}')
    >>> read_meaning(path).units
    {'bp': 'mmHg'}
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(f"'{path}' cannot be read: {error}.") from error
    content = _parsed(path, text)
    if not isinstance(content, dict):
        raise DataFileError(f"'{path}' must hold names and values, such as labels: {{...}}.")
    try:
        return Meaning.of(**{str(name): part for name, part in content.items()})
    except (TypeError, ValueError) as error:
        raise DataFileError(f"'{path}': {error}") from error


def _parsed(path: Path, text: str) -> Any:
    if path.suffix.lower() not in (".yaml", ".yml"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise DataFileError(f"'{path}' is not JSON: {error}.") from error
    try:
        yaml: Any = import_module("yaml")
    except ImportError as error:
        raise DataFileError(f"'{path}' needs PyYAML, which is not installed: write it as JSON.") from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        first = " ".join(str(error).split())
        raise DataFileError(f"'{path}' is not YAML: {first}.") from error
