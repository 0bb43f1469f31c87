"""The 25 data sets of Friedman, Geiger and Goldszmidt (1997), split as there: five folds, or one hold-out."""

from dataclasses import dataclass

import datafolder
import polars as pl

from bayleaf.evaluation import CrossValidation, SplitProtocol, TrainTest


@dataclass(frozen=True)
class DataSet:
    """A data set and how it is split."""

    name: str
    slug: str
    train_rows: int | None = None  # None for five-fold cross-validation
    shuffled: bool = False  # where no published order of the rows exists
    remark: str = ""

    def load(self) -> tuple[pl.DataFrame, pl.Series]:
        """Read features and class; rows with missing values are left out."""
        frame = datafolder.read(self.slug).drop_nulls()
        if self.shuffled:
            frame = frame.sample(fraction=1, shuffle=True, seed=0)
        return datafolder.features_and_class(frame)

    @property
    def protocol(self) -> SplitProtocol:
        """How the rows are split."""
        return CrossValidation(folds=5) if self.train_rows is None else TrainTest(self.train_rows)


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
    DataSet("vote", "vote", remark="232 rows without missing values"),
    DataSet("waveform-21", "waveform-21", 300),
)


def available() -> list[DataSet]:
    """Return the data sets that the data folder has."""
    return [each for each in DATA_SETS if datafolder.has(each.slug)]
