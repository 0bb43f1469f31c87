"""Explanations: the weight of evidence of each feature, and smallest sufficient reasons."""
