"""The data sets of the paper's Table 1 and what stands for each of them here."""

from dataclasses import dataclass

import polars as pl

import datafolder


@dataclass(frozen=True)
class DataSet:
    """One line of the paper's Table 1."""

    paper: str
    slug: str
    remark: str = ""

    def load(self) -> tuple[pl.DataFrame, pl.Series]:
        """Read features and class; rows with missing values are left out, as in the paper."""
        return datafolder.features_and_class(datafolder.read(self.slug).drop_nulls())


DATA_SETS: tuple[DataSet, ...] = (
    DataSet("Australian", "australian"),
    DataSet("Breast", "breast-cancer-wisconsin"),
    DataSet("Chess", "kr-vs-kp"),
    DataSet("Cleve", "cleve", "13 features; the paper has 11"),
    DataSet("Corral", "corral"),
    DataSet("Crx", "crx"),
    DataSet("Diabetes", "pima", "the same rows as Pima; the paper cut them differently"),
    DataSet("Flare", "flare-c1389"),
    DataSet("Glass", "glass"),
    DataSet("Glass2", "glass2"),
    DataSet("Hayes", "hayes-roth"),
    DataSet("Heart", "heart"),
    DataSet("Hepatitis", "hepatitis"),
    DataSet("Iris", "iris"),
    DataSet("Letter", "letter"),
    DataSet("Lymphography", "lymphography"),
    DataSet("Mofn", "mofn-3-7-10"),
    DataSet("Pima", "pima"),
    DataSet("Shuttle", "shuttle-small", "another sample of 5800 rows, 9 features; the paper has 8"),
    DataSet("Tic-Tac-Toe", "tic-tac-toe"),
    DataSet("Vehicle", "vehicle"),
    DataSet("Voting", "vote"),
)


def available() -> list[DataSet]:
    """Return the data sets that the data folder has."""
    return [each for each in DATA_SETS if datafolder.has(each.slug)]
