"""The score of a pool: log-likelihoods of many networks, added up, weighted and corrected by what they predict."""
