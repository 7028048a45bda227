import copy
import operator
import pickle

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ImmutableArrayError


@pytest.mark.parametrize(
    "data, text",
    [
        (np.float32([1, 2]), "Array([1., 2.], dtype=float32)"),
        (1.5, "Array(1.5, dtype=float64)"),
        ([[True], [False]], "Array([[ True],\n       [False]], dtype=bool)"),
        ([], "Array([], dtype=float64)"),
        (np.zeros((0, 3)), "Array([], shape=(0, 3), dtype=float64)"),
        (1 + 2j, "Array(1.+2.j, dtype=complex128)"),
    ],
)
def test_repr(data, text):
    assert repr(fg.Array(data)) == text


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge"]
INTEGER = ["and_", "or_", "xor", "lshift", "rshift"]


@pytest.mark.parametrize("name", BINARY + INTEGER)
def test_operators_are_those_of_ndarray(name):
    op = getattr(operator, name)
    a = np.array([1, 2, 3]) if name in INTEGER else np.array([1.0, 2.5, 3.0])
    b = np.array([2, 1, 3]) if name in INTEGER else np.array([2.0, 1.5, 3.0])
    expected = op(a, b)
    for x, y in ((fg.Array(a), fg.Array(b)), (fg.Array(a), b), (a, fg.Array(b))):
        got = op(x, y)
        assert type(got) is fg.Array and got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(op(fg.Array(a), 2), op(a, 2))
    np.testing.assert_array_equal(op(2, fg.Array(a)), op(2, a))
    np.testing.assert_array_equal(op(fg.Array(a), [1, 2, 3]), op(a, [1, 2, 3]))


def test_other_operators():
    a = np.array([[1.0, -2.0], [3.0, 4.0]])
    x = fg.Array(a)
    np.testing.assert_array_equal(x @ x, a @ a)
    np.testing.assert_array_equal(a @ x, a @ a)
    np.testing.assert_array_equal(-x, -a)
    np.testing.assert_array_equal(+x, a)
    np.testing.assert_array_equal(abs(x), abs(a))
    np.testing.assert_array_equal(~fg.Array([1, 2]), [-2, -3])
    np.testing.assert_array_equal(divmod(x, 2.0), divmod(a, 2.0))
    np.testing.assert_array_equal(divmod(7.0, x), divmod(7.0, a))
    np.testing.assert_array_equal(round(fg.Array([1.26]), 1), [1.3])
    with pytest.raises(TypeError):
        x + object()
    with pytest.raises(TypeError):
        object() * x


def test_python_numbers_are_weak():
    x = fg.Array([1.0], "float32")
    assert (x * 2.0).dtype == (2 - x).dtype == (x**2).dtype == (x**0.5).dtype == np.float32
    assert (x * np.float64(2)).dtype == np.float64
    assert (fg.Array([1]) * 2.0).dtype == np.float64


METHODS = {
    "sum": {},
    "prod": {},
    "mean": {},
    "var": {},
    "std": {},
    "min": {},
    "max": {},
    "any": {},
    "all": {},
    "argmax": {},
    "argmin": {},
    "argsort": {},
    "cumsum": {},
    "cumprod": {},
    "diagonal": {},
    "trace": {},
    "ravel": {},
    "flatten": {},
    "squeeze": {},
    "conj": {},
    "conjugate": {},
    "copy": {},
    "nonzero": {},
    "transpose": {},
    "round": {"decimals": 1},
    "clip": {"min": 0.0, "max": 2.0},
    "repeat": {"repeats": 2},
    "take": {"indices": [0, 3]},
    "astype": {"dtype": "int64"},
    "argpartition": {"kth": 1},
    "compress": {"condition": [True, False], "axis": 0},
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_those_of_ndarray(name):
    a = np.array([[1.26, -2.0], [3.0, 4.0]])
    expected = getattr(a, name)(**METHODS[name])
    got = getattr(fg.Array(a), name)(**METHODS[name])
    for g, e in zip(got, expected, strict=True) if isinstance(expected, tuple) else [(got, expected)]:
        assert g.dtype == e.dtype
        np.testing.assert_array_equal(g, e)


def test_methods_with_positional_forms():
    a = np.arange(6.0).reshape(1, 2, 3)
    x = fg.Array(a)
    assert x.reshape(3, 2).shape == x.reshape((3, 2)).shape == x.reshape(-1, 2).shape == (3, 2)
    assert x.reshape(6, order="F").tolist() == a.reshape(6, order="F").tolist()
    assert x.transpose(2, 0, 1).shape == x.transpose((2, 0, 1)).shape == (3, 1, 2)
    assert x.transpose().shape == x.T.shape == x.transpose(None).shape == (3, 2, 1)
    assert x.swapaxes(0, 2).shape == (3, 2, 1)
    assert x.mT.shape == (1, 3, 2)
    np.testing.assert_array_equal(x.sort(axis=-1)[0], a[0])
    np.testing.assert_array_equal(fg.Array([1.0, 3.0]).searchsorted(2.0), 1)
    np.testing.assert_array_equal(fg.Array([0, 1]).choose([[1, 2], [3, 4]]), [1, 4])
    np.testing.assert_array_equal(fg.Array([1.0, 2.0]).dot(fg.Array([3.0, 4.0])), 11.0)
    assert list(x.flat)[5] == 5.0
    z = fg.Array([1 + 2j])
    assert z.real.tolist() == [1.0] and z.imag.tolist() == [2.0]


def test_attributes():
    x = fg.Array(np.zeros((2, 3), "f"))
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes, x.dtype) == ((2, 3), 2, 6, 4, 24, np.float32)
    assert len(x) == 2 and x.device == "cpu" and x.to_device("cpu") is x and x.strides == (12, 4)
    assert x.__array_namespace__() is fnp
    with pytest.raises(TypeError, match="unsized"):
        len(fg.Array(1.0))
    with pytest.raises(ValueError, match="cpu"):
        x.to_device("gpu")
    with pytest.raises(TypeError):
        hash(x)


def test_conversions():
    assert float(fg.Array(2.5)) == 2.5 and int(fg.Array(2.5)) == 2 and complex(fg.Array(1j)) == 1j
    assert bool(fg.Array(1)) and not fg.Array(0.0)
    assert [10, 20][fg.Array(1)] == 20 and fg.Array([[1]]).item() == 1 and fg.Array([5, 6]).item(1) == 6
    assert fg.Array([[1, 2]]).tolist() == [[1, 2]] and fg.Array([1], "u1").tobytes() == b"\x01"
    assert [float(v) for v in fg.Array([1.0, 2.0])] == [1.0, 2.0]
    assert f"{fg.Array(1.234):.1f}" == "1.2" and str(fg.Array([1, 2])) == "[1 2]"
    with pytest.raises(TypeError):
        iter(fg.Array(1.0))
    with pytest.raises(TypeError, match="index"):
        [1][fg.Array(0.0)]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(fg.Array([1, 2]))


def test_numpy_gets_a_copy_or_a_view_that_it_cannot_write_to():
    x = fnp.ones(1000)
    own = np.asarray(x)
    assert type(own) is np.ndarray and own.flags.writeable
    own[0] = 2.0
    assert float(x[0]) == 1.0
    a, b = np.asarray(x, copy=False), np.asarray(x, copy=False)
    assert np.shares_memory(a, b) and type(a) is np.ndarray
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 2.0
    with pytest.raises(ValueError):
        a.flags.writeable = True
    assert np.asarray(x, dtype="f").dtype == np.float32
    c = np.array(x)
    c[0] = 5.0
    assert float(x[0]) == 1.0
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="f", copy=False)
    assert np.asarray(x).flags.c_contiguous


def test_dlpack():
    x = fnp.arange(3.0)
    np.testing.assert_array_equal(np.from_dlpack(x), [0.0, 1.0, 2.0])

    class Old:  # a consumer of the first version of the protocol
        def __dlpack__(self, stream=None):
            return x.__dlpack__()

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    np.testing.assert_array_equal(np.from_dlpack(Old()), [0.0, 1.0, 2.0])


def test_pickle_and_copy():
    x = fg.Array([1.0, 2.0])
    y = pickle.loads(pickle.dumps(x))
    assert type(y) is fg.Array and y.tolist() == x.tolist()
    assert copy.copy(x) is x and copy.deepcopy([x])[0] is x


def test_immutable():
    x = fnp.ones(3)
    with pytest.raises(ImmutableArrayError, match=r"\.at\[i\]\.set"):
        x[0] = 1.0
    with pytest.raises(TypeError):
        del x[0]
    for name in ("fill", "put", "resize"):
        with pytest.raises(ImmutableArrayError, match=name):
            getattr(x, name)(0)
    with pytest.raises(ImmutableArrayError):
        np.add(x, 1.0, out=x)
    with pytest.raises(ImmutableArrayError):
        np.add.at(x, 0, 1.0)
    assert x.tolist() == [1.0] * 3


def test_what_the_owner_of_an_ndarray_does_shows_nowhere():
    a = np.ones((2, 2))
    views = [
        fg.Array(a),
        fnp.asarray(a),
        fnp.array(a),
        fnp.reshape(a, 4),
        fnp.transpose(a),
        fnp.ravel(a),
        a.T * fg.Array(1.0),
        fnp.real(a),
        fnp.squeeze(a),
        fnp.broadcast_to(a, (3, 2, 2)),
        fnp.atleast_2d(a),
        fnp.astype(a, float),
        fnp.positive(a),
        fnp.flip(a),
        fnp.diagonal(a),
        fnp.split(a, 2)[0],
        fnp.moveaxis(a, 0, 1),
        fnp.expand_dims(a, 0),
        fnp.conj(a),
        fnp.sum(a, axis=()),
        fnp.copy(a),
        fnp.nan_to_num(a),
        fnp.swapaxes(a, 0, 1),
        fnp.rot90(a),
    ]
    a[:] = 7.0
    for v in views:
        assert (np.asarray(v) == 1.0).all()


def test_an_ndarray_takes_the_numbers_of_an_array_in_place():
    a = np.zeros(2)
    a += fg.Array([1.0, 2.0])
    a[0] = fg.Array(5.0)
    assert a.tolist() == [5.0, 2.0]


def test_only_numbers():
    for data in (["a"], [object()], np.array(["2020"], "M8[Y]"), {"a": 1}):
        with pytest.raises(ArgumentError, match="numbers"):
            fg.Array(data)


def test_tracers_are_arrays():
    seen = []
    fg.grad(lambda x: seen.append((isinstance(x, fg.Array), x.shape, x.dtype, len(x))) or x.sum())(np.ones(2))
    assert seen == [(True, (2,), np.float64, 2)]
