"""The 25 data sets of Friedman, Geiger and Goldszmidt (1997), split as there: five folds, or one hold-out."""

from dataclasses import dataclass

import polars as pl

import datafolder
from bayleaf.benchmark import CrossValidation, SplitProtocol, TrainTest


@dataclass(frozen=True)
class DataSet:
    """A data set and how it is split."""

    name: str
    slug: str
    train_rows: int | None = None  # None for five-fold cross-validation
    shuffled: bool = False  # where no published order of the rows exists
    unknown: str = ""  # a value of its own for missing ones, where the authors did not leave rows out
    remark: str = ""

    def load(self) -> tuple[pl.DataFrame, pl.Series]:
        """Read features and class; rows with missing values are left out unless they have a value of their own."""
        frame = datafolder.read(self.slug)
        if self.unknown:
            frame = frame.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String)).fill_null(
                self.unknown
            )
            frame = frame.cast({name: pl.Enum(frame[name].unique().sort()) for name in frame.columns})
        frame = frame.drop_nulls()
        if self.shuffled:
            frame = frame.sample(fraction=1, shuffle=True, seed=0)
        return datafolder.features_and_class(frame)

    def protocol(self, repetitions: int) -> SplitProtocol:
        """How the rows are split; a hold-out is made once."""
        if self.train_rows is None:
            return CrossValidation(folds=5, repeats=repetitions)
        return TrainTest(self.train_rows)


DATA_SETS: tuple[DataSet, ...] = (
    DataSet("australian", "australian"),
    DataSet("breast", "breast-cancer-wisconsin"),
    DataSet("chess", "kr-vs-kp", 2130, shuffled=True),
    DataSet("cleve", "cleve"),
    DataSet("corral", "corral"),
    DataSet("crx", "crx"),
    DataSet("diabetes", "pima", remark="the same rows as pima"),
    DataSet("flare", "flare"),
    DataSet("german", "german"),
    DataSet("glass", "glass"),
    DataSet("glass2", "glass2"),
    DataSet("heart", "heart"),
    DataSet("hepatitis", "hepatitis"),
    DataSet("iris", "iris"),
    DataSet("letter", "letter", 15_000),
    DataSet("lymphography", "lymphography"),
    DataSet("mofn-3-7-10", "mofn-3-7-10", 300),
    DataSet("pima", "pima"),
    DataSet("satimage", "satimage", 4435),
    DataSet("segment", "segment", 1540, shuffled=True),
    DataSet("shuttle-small", "shuttle-small", 3866, remark="another sample of the same size"),
    DataSet("soybean-large", "soybean"),
    DataSet("vehicle", "vehicle"),
    DataSet(
        "vote", "vote", unknown="?", remark="a missing vote is a value, since the authors have all 435 rows"
    ),
    DataSet("waveform-21", "waveform-21", 300),
)


def available() -> list[DataSet]:
    """Return the data sets that the data folder has."""
    return [each for each in DATA_SETS if datafolder.has(each.slug)]
