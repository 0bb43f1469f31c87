"""Model files: the format, the training record, settings; one place that writes and one that reads."""
