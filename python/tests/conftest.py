import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings

settings.register_profile("copse", deadline=None, max_examples=40, derandomize=True, database=None)
settings.load_profile("copse")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def S(rng):
    """300 x 200, of several nodes, with rows and columns without entries. Values are small whole numbers: products and
    sums of them are exact."""
    S = sp.random_array((300, 200), density=0.05, rng=rng, data_sampler=lambda size: rng.integers(1, 6, size) * 1.0)
    S = S.tolil()
    S[17], S[:, 5] = 0, 0
    return S.tocsr()


@pytest.fixture
def spd(rng):
    """A symmetric positive definite matrix, 150 x 150, of good condition."""
    S = sp.random_array((150, 150), density=0.03, rng=rng)
    return (S.T @ S + 2 * sp.eye_array(150)).tocsr()
