"""What the generated tests do not see: what the rules keep, symbolic shapes without memory, errors of shape rules."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops import structural


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.reshape(6),
        lambda x: x.T,
        lambda x: fnp.broadcast_to(x, (4, 2, 3)),
        lambda x: fnp.concatenate([x, x]),
        lambda x: fnp.stack([x, x]),
        lambda x: fnp.pad(x, 1),
        lambda x: fnp.roll(x, 1),
        lambda x: fnp.flip(x),
        lambda x: fnp.diagonal(x),
        lambda x: fnp.tril(x),
        lambda x: x.astype("float32"),
        lambda x: fnp.tile(x, (2, 2)),
        lambda x: fnp.repeat(x, 3, axis=1),
    ],
)
def test_no_array_is_kept(f):
    assert fg.vjp(f, np.ones((2, 3)))[1].tape.residual_bytes == 0


@pytest.mark.parametrize(
    "f, shape",
    [
        (lambda x: fnp.pad(x, 1), (100_002, 100_002)),
        (lambda x: fnp.concatenate([x, x], axis=1), (100_000, 200_000)),
        (lambda x: fnp.stack([x, x]), (2, 100_000, 100_000)),
        (lambda x: fnp.roll(x, 1, axis=0), (100_000, 100_000)),
        (lambda x: fnp.tril(x), (100_000, 100_000)),
        (lambda x: x.astype("complex64"), (100_000, 100_000)),
        (lambda x: x.reshape(-1), (10_000_000_000,)),
        (lambda x: fnp.tile(x, 3), (100_000, 300_000)),
        (lambda x: fnp.diag(x[0]), (100_000, 100_000)),
        (lambda x: x.T[::-1], (100_000, 100_000)),
    ],
)
def test_shapes_take_no_memory(f, shape):
    x = ShapeDtypeStruct((100_000, 100_000), "float32")  # 40 GB, were it there
    assert fg.eval_shape(f, x).shape == shape


def test_concatenate_checks_lengths_symbolically():
    with pytest.raises(ValueError, match="same lengths except along axis 0"):
        fg.eval_shape(lambda x: fnp.concatenate([x, fnp.ones((2, 4))]), ShapeDtypeStruct((2, 3), float))


def test_truncate_gives_a_constant_and_astype_goes_back():
    x = np.array([1.7, -2.2])
    assert np.array_equal(fg.grad(lambda x: (x.astype(int) * x).sum())(x), [1.0, -2.0])
    assert np.array_equal(fg.grad(lambda x: x.astype("float32").sum())(x), [1.0, 1.0])
    assert fg.grad(lambda x: x.astype("float32").sum())(x).dtype == np.float64
    assert np.array_equal(fg.grad(lambda x: (x.astype(complex) * 1j).imag.sum())(x), [1.0, 1.0])


def test_operands_of_mixed_dtype_get_cotangents_of_their_own():
    a, b = np.float32([1, 2]), np.array([3.0])
    da, db = fg.grad(lambda a, b: (fnp.concatenate([a, b]) * fnp.array([1.0, 2.0, 3.0])).sum(), (0, 1))(a, b)
    assert (da.dtype, db.dtype) == (np.float32, np.float64)
    assert da.tolist() == [1, 2] and db.tolist() == [3]


def test_only_linked_operands_are_cut_out():
    constant = np.ones(3)
    g = structural.concatenate.vjp.rule(np.arange(5.0), ((2,), (3,)), 0, (True, False))
    assert g[1] is None and g[0].tolist() == [0, 1]
    _, pullback = fg.vjp(lambda x: fnp.concatenate([x, constant]), np.zeros(2))
    assert pullback(np.arange(5.0))[0].tolist() == [0, 1]


def test_results_do_not_follow_the_callers_array():
    for f in (lambda a: fnp.reshape(a, 4), fnp.transpose, fnp.flip, fnp.diagonal, fnp.asarray, fnp.copy, fnp.ravel):
        a = np.ones((2, 2))
        out = f(a)
        a[:] = 7
        assert np.all(np.asarray(out) == 1)
