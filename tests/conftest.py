"""Settings that all tests share."""

from hypothesis import settings

# Speed is measured in benchmarks/, never by tests: a busy machine must not fail them.
settings.register_profile("bayleaf", deadline=None)
settings.load_profile("bayleaf")
