"""Several networks that decide together: of samples of the rows (bagging), or of several graphs (averaging)."""

from .averaging import AveragedClassifier
from .bagging import BaggedClassifier
from .ensemble_base import EnsembleClassifier

__all__ = ["AveragedClassifier", "BaggedClassifier", "EnsembleClassifier"]
