"""JAX's words for devices."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, LostTraceError


def test_arrays_are_ready():
    x = fnp.ones(3)
    assert x.block_until_ready() is x
    assert fg.block_until_ready((x, None))[0] is x
    assert fg.jit(fg.grad(lambda x: fnp.sum(x * x).block_until_ready()))(x).tolist() == [2.0, 2.0, 2.0]


def test_what_is_put_changes_no_more():
    owned = np.ones(3)
    there = fg.device_put({"a": owned, "b": (2, None)})
    owned[:] = 7
    assert there["a"].tolist() == [1.0, 1.0, 1.0]
    assert isinstance(there["b"][0], fg.Array)
    assert float(fg.grad(lambda x: fnp.sum(fg.device_put(x) * 3.0))(2.0)) == 3.0
    with pytest.raises(ArgumentError, match="hold numbers"):
        fg.device_put("text")


def test_what_is_fetched_is_the_callers_own():
    x = fnp.arange(3.0)
    fetched = fg.device_get([x, 1.0])
    fetched[0][0] = 5.0
    assert type(fetched[0]) is type(fetched[1]) is np.ndarray
    assert x.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(LostTraceError):
        fg.grad(lambda x: fg.device_get(x).sum())(x)
