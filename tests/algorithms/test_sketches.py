"""Johnson-Lindenstrauss maps."""

import numpy as np
import pytest

from dprepro.algorithms.sketches import columns

TRANSFORMS = ["gaussian", "rademacher", "srht", "countsketch"]


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_map_preserves_inner_products_in_the_mean_with_a_variance_of_order_1_over_k(transform):
    rng = np.random.default_rng(0)
    k, p, draws = 16, 40, 3000
    u, v = rng.normal(size=p), rng.normal(size=p)
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    products = np.empty(draws)
    for i in range(draws):
        phi = columns(transform, k, p, p, rng)
        products[i] = (phi @ u) @ (phi @ v)
    assert abs(products.mean() - u @ v) < 4.5 * products.std() / np.sqrt(draws)  # false alarm: 7e-6
    assert products.var() < 2.2 / k


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_first_columns_of_a_map_have_the_stated_norms(transform):
    phi = columns(transform, 32, 100, 20, np.random.default_rng(1))
    assert phi.shape == (32, 20)
    size = np.linalg.norm(phi, axis=0)
    if transform == "gaussian":
        assert np.abs(size - 1).max() < 5 / np.sqrt(2 * 32)
    else:
        np.testing.assert_allclose(size, 1)
