"""A file is found by its name alone."""

from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "bayleaf"


def test_no_two_files_of_the_package_have_the_same_name():
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "__init__.py":
            found[path.name].append(str(path.relative_to(PACKAGE)))
    assert len(found) > 1
    assert [paths for paths in found.values() if len(paths) > 1] == []
