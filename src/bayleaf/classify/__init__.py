"""Classifiers: one network, ensembles of several, what they share, and what they record of their training."""

from .ensembles import AveragedClassifier, BaggedClassifier, EnsembleClassifier
from .network_pool import NetworkPool
from .one_network import BayesNetClassifier

__all__ = [
    "AveragedClassifier",
    "BaggedClassifier",
    "BayesNetClassifier",
    "EnsembleClassifier",
    "NetworkPool",
]
