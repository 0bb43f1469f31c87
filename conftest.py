"""What is not collected with the other tests."""

# Examples with Spark run with its tests: make test-spark.
collect_ignore = ["src/bayleaf/spark"]
