import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayleaf.network.decisions import most_probable, posteriors

LOGS = st.one_of(st.floats(-2000, 0), st.just(-np.inf))


@settings(deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=LOGS),
    st.sampled_from([1, 3]),
)
def test_posteriors_are_normalised_or_the_prior(log_joint, n_jobs):
    classes = log_joint.shape[1]
    prior = np.arange(1.0, classes + 1) / sum(range(1, classes + 1))
    found = posteriors(log_joint, prior, n_jobs)
    for row, values in zip(log_joint, found, strict=True):
        if np.isneginf(row).all():
            assert np.array_equal(values, prior)
        else:
            weights = np.exp(row - row.max())
            np.testing.assert_allclose(values, weights / weights.sum(), rtol=1e-14)


@given(
    arrays(np.float64, (4, 3), elements=st.sampled_from([0.0, 0.25, 0.5])),
    st.permutations([0.2, 0.3, 0.5]) | st.just([0.4, 0.4, 0.2]),
)
def test_ties_go_to_the_larger_prior_and_then_to_the_first(posterior, prior):
    chosen = most_probable(posterior, np.array(prior))
    for row, winner in zip(posterior, chosen, strict=True):
        assert winner == max(range(3), key=lambda c: (row[c], prior[c], -c))
