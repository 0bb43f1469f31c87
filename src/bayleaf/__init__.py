"""Bayesian network classifiers: accurate, honest probabilities, reasons, missing values."""
