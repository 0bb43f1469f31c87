"""The data sets of the paper's Table 6, MNIST and USPS, and what stands for each of them here."""

from dataclasses import dataclass

import numpy as np
import polars as pl

import datafolder
from bayleaf.benchmark import CrossValidation, SplitProtocol, TrainTest

Data = tuple[pl.DataFrame | np.ndarray, pl.Series | np.ndarray]


@dataclass(frozen=True)
class DataSet:
    """A line of Table 6; ``training`` rows come first, None means five-fold cross-validation."""

    paper: str  # its name in the paper
    slug: str  # its file
    training: int | None = None
    shuffled: bool = False  # the published split is not known: ours is a seeded permutation
    seed: int = 2010  # of the folds or of the permutation
    remark: str = ""

    @property
    def protocol(self) -> SplitProtocol:
        """How the rows are split."""
        if self.training is not None:
            return TrainTest(self.training)
        return CrossValidation(folds=5, stratified=True, seed=self.seed)

    def load(self) -> Data:
        """Read features and class: complete rows, but for votes, where a missing vote is a value."""
        frame = datafolder.read(self.slug)
        if self.slug == "vote":
            frame = frame.with_columns(pl.exclude(frame.columns[-1]).cast(pl.String).fill_null("none"))
        frame = frame.drop_nulls()
        if self.shuffled:
            frame = frame[np.random.default_rng(self.seed).permutation(len(frame))]
        return datafolder.features_and_class(frame)


@dataclass(frozen=True)
class Digits(DataSet):
    """Images of digits, from an archive of arrays."""

    def load(self) -> Data:
        """Read grey values (MNIST), or the authors' intervals of grey values (USPS), and the digits."""
        with np.load(datafolder.folder() / self.slug) as arrays:
            if self.paper == "MNIST":
                return arrays["X"].astype(np.float64), arrays["y"]
            X = np.concatenate([arrays["x_tr_fold1"], arrays["x_te_fold1"]])
            y = np.concatenate([arrays["t_tr_fold1"], arrays["t_te_fold1"]]).astype(np.int64)
        intervals = pl.Enum([str(k) for k in range(1, int(X.max()) + 1)])
        columns = {f"pixel{j}": X[:, j].astype(np.int64) for j in range(X.shape[1])}
        return pl.DataFrame(columns).cast(pl.String).cast(intervals), y


UCI: tuple[DataSet, ...] = (
    DataSet("AUSTRALIAN", "australian"),
    DataSet(
        "BREAST", "breast-cancer-wisconsin", remark="9 features; the paper counts the number of the sample"
    ),
    DataSet("CHESS", "kr-vs-kp", 2130, shuffled=True, seed=0, remark="the published split is not known"),
    DataSet("CLEVE", "cleve"),
    DataSet("CORRAL", "corral"),
    DataSet("CRX", "crx"),
    DataSet("DIABETES", "pima", remark="the same rows as PIMA in other folds"),
    DataSet("FLARE", "flare"),
    DataSet("GERMAN", "german"),
    DataSet("GLASS", "glass", remark="6 of the 7 declared classes occur"),
    DataSet("GLASS2", "glass2"),
    DataSet("HEART", "heart"),
    DataSet("HEPATITIS", "hepatitis"),
    DataSet("IRIS", "iris"),
    DataSet("LETTER", "letter", 15_000),
    DataSet("LYMPHOGRAPHY", "lymphography"),
    DataSet("MOFN-3-7-10", "mofn-3-7-10", 300),
    DataSet("PIMA", "pima", seed=2011),
    DataSet(
        "SHUTTLE-SMALL", "shuttle-small", 3866, remark="another sample of 5800 rows, with 6 of the 7 classes"
    ),
    DataSet("VOTE", "vote"),
    DataSet("SATIMAGE", "satimage", 4435),
    DataSet("SEGMENT", "segment", 1540, shuffled=True, seed=0, remark="the published split is not known"),
    DataSet("SOYBEAN-LARGE", "soybean", remark="15 of the 19 declared classes occur in complete rows"),
    DataSet("VEHICLE", "vehicle"),
    DataSet("WAVEFORM-21", "waveform-21", 300, remark="which 300 rows the paper trains on is not known"),
)
MNIST = Digits("MNIST", "mnist14.npz", 60_000)
USPS = Digits(
    "USPS",
    "usps-roth.npz",
    7340,
    remark="the 11000 digits, cut into intervals by the authors; 7340 rows train, in the paper 8000",
)
BY_NAME: dict[str, DataSet] = {each.paper: each for each in (*UCI, MNIST, USPS)}
# Sets with a test set of their own, on which figures can be compared one by one.
FIXED = ("CHESS", "LETTER", "SATIMAGE", "SEGMENT")
# The two sets that cost more than all others together come last.
BY_COST = tuple(sorted(UCI, key=lambda each: each.paper in ("SATIMAGE", "LETTER")))
