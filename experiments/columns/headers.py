"""Files without a header: how many tables of the data folder are recognised without theirs, and none with it.

    python experiments/columns/headers.py

The first 3,000 rows of each table are written with their header and without it, and read by
`bayleaf.tables.read_data`; the counts go to results/headers.md. Data sets are found through BAYLEAF_DATA.
"""

import gzip
import sys
import warnings
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import datafolder
from bayleaf._util.whole_files import DataFileError
from bayleaf.tables import read_data

ROWS = 3_000


def is_recognised(path: Path) -> bool:
    """Tell whether a warning or an error names --no-header."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            read_data(path)
        except DataFileError as error:
            return "--no-header" in str(error)
    return any("--no-header" in str(warning.message) for warning in caught)


def main() -> None:
    found = {"with": [], "without": []}
    paths = sorted(datafolder.folder().glob("*.csv.gz"))
    with TemporaryDirectory() as folder:
        for path in paths:
            with gzip.open(path, "rt") as file:
                lines = list(islice(file, ROWS + 1))
            for header, kept in (("with", lines), ("without", lines[1:])):
                copy = Path(folder) / "table.csv"
                copy.write_text("".join(kept))
                if is_recognised(copy):
                    found[header].append(path.name)
    text = f"Of {len(paths)} tables, --no-header is named for {len(found['without'])} without their header"
    text += f" and for {len(found['with'])} with it.\n"
    (Path(__file__).parent / "results" / "headers.md").write_text(text)


if __name__ == "__main__":
    main()
