"""Variable elimination: the marginal of a product, whatever the order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.intelligence.causal.inference import Factor, eliminate, order_of


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True), min_size=1, max_size=8), st.data())
def test_the_marginal_is_that_of_the_whole_product(scopes: list[list[int]], data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    scopes = [[0], *scopes]
    factors = [Factor(tuple(scope), rng.random((2,) * len(scope)) + 0.01) for scope in scopes]
    whole = np.ones((2,) * 6)
    for factor in factors:
        shape = [2 if variable in factor.variables else 1 for variable in range(6)]
        whole = whole * factor.table.transpose(np.argsort(factor.variables)).reshape(shape)
    expected = whole.sum(axis=(1, 2, 3, 4, 5))
    order = order_of([factor.variables for factor in factors], keep=0)
    assert order.operations is not None
    np.testing.assert_allclose(eliminate(factors, order.variables, 0), expected / expected.sum(), atol=1e-9)


def test_a_table_too_wide_is_never_promised() -> None:
    assert order_of([tuple(range(30))], keep=0).operations is None


def test_the_order_is_the_same_every_time() -> None:
    scopes = [(0, 1, 2), (2, 3), (3, 4), (4, 1)]
    assert order_of(scopes, keep=0) == order_of(scopes, keep=0)
