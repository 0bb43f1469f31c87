"""Small helpers that know nothing of Bayesian networks: validation, optional imports, files, threads."""
