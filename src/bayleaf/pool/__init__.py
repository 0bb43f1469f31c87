"""The pool: many networks whose log-likelihoods are added up, weighed and corrected by what they predict."""

from .network_pool import NetworkPool

__all__ = ["NetworkPool"]
