import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

A = np.arange(12.0).reshape(4, 3)


FILLS = [
    ((3, 3), 5.0, False),
    ((2, 4), [1.0, 2.0], False),
    ((5, 2), [1.0, 2.0, 3.0], True),
    ((5, 2), 7.0, False),
    ((2, 2, 2), 1.5, False),
]


@pytest.mark.parametrize("shape, value, wrap", FILLS)
def test_fill_diagonal(shape, value, wrap):
    expected = np.zeros(shape)
    np.fill_diagonal(expected, value, wrap=wrap)
    got = fnp.fill_diagonal(np.zeros(shape), value, wrap=wrap, inplace=False)
    np.testing.assert_array_equal(np.asarray(got), expected)


PUTS = [([0, -1], [5.0, 6.0], "raise"), ([1, 14], 2.0, "wrap"), ([1, 14, -3], [7.0], "clip")]


@pytest.mark.parametrize("places, values, mode", PUTS)
def test_put(places, values, mode):
    expected = A.copy()
    np.put(expected, places, values, mode=mode)
    np.testing.assert_array_equal(np.asarray(fnp.put(A, places, values, mode, inplace=False)), expected)


def test_place():
    expected = A.copy()
    np.place(expected, A > 6, [1.0, 2.0])
    np.testing.assert_array_equal(np.asarray(fnp.place(A, A > 6, [1.0, 2.0], inplace=False)), expected)
    assert fnp.place(A, A > 60, [1.0], inplace=False).tolist() == A.tolist()


def test_derivatives_of_updated_copies():
    def f(a, v):
        return (fnp.fill_diagonal(a, v, inplace=False) * A[:3]).sum()

    g, gv = fg.grad(f, (0, 1))(np.ones((3, 3)), np.ones(3))
    assert gv.tolist() == [0, 4, 8] and g.tolist() == [[0, 1, 2], [3, 0, 5], [6, 7, 0]]
    assert fg.grad(lambda v: fnp.put(A, [0, 5], v, inplace=False).sum())(2.0) == 2


@pytest.mark.parametrize(
    "name, args",
    [
        ("copyto", (1.0,)),
        ("put", (0, 1.0)),
        ("place", (A > 2, [1.0])),
        ("putmask", (A > 2, [1.0])),
        ("fill_diagonal", (1.0,)),
    ],
)
def test_writing_is_refused(name, args):
    for call in (getattr(fnp, name), getattr(np, name)):
        with pytest.raises(fg.errors.ImmutableArrayError, match="Make an updated copy instead: y = "):
            call(fnp.asarray(A), *args)
    value = np.ones(()) if name == "copyto" else np.ones(1)
    with pytest.raises(fg.errors.LostTraceError, match=r"a plain ndarray cannot hold|np\.asarray"):
        fg.grad(lambda x: getattr(np, name)(np.zeros((4, 3)), *args[:-1], x))(value)


COLUMN = np.array([[0], [1], [2], [0]])


@pytest.mark.parametrize(
    "name, args",
    [
        ("copyto", (A[0],)),
        ("put", ([0, -1], [5.0, 6.0])),
        ("place", (A > 2, [1.0])),
        ("putmask", (A > 2, A + 1)),
        ("fill_diagonal", (A[0],)),
        ("put_along_axis", (COLUMN, A[:, :1], 1)),
    ],
)
def test_numbers_of_an_array_go_into_an_ndarray(name, args):
    arrays = [fnp.array(x) if isinstance(x, np.ndarray) and x.dtype == float else x for x in args]
    for function in (getattr(np, name), getattr(fnp, name)):
        got, expected = np.ones((4, 3)), np.ones((4, 3))
        function(got, *arrays)
        getattr(np, name)(expected, *args)
        np.testing.assert_array_equal(got, expected)


def test_full_with_a_dtype_takes_an_array():
    assert np.full(2, fnp.array(3.0), dtype="f4").tolist() == [3.0, 3.0]


def test_out_takes_the_numbers_of_an_array():
    buffer = np.zeros(3)
    np.sum(fnp.array(A), axis=0, out=buffer)
    assert buffer.tolist() == A.sum(0).tolist()
    with pytest.raises(fg.errors.LostTraceError):
        fg.grad(lambda x: np.sum(x, axis=0, out=buffer))(A)


def test_errors():
    with pytest.raises(IndexError, match="put: indices must be"):
        fnp.put(A, [12], 1.0, inplace=False)
    with pytest.raises(ValueError, match="mode must be"):
        fnp.put(A, [1], 1.0, mode="fill", inplace=False)
    with pytest.raises(ValueError, match="shape of the array"):
        fnp.place(A, [True], 1.0, inplace=False)
    with pytest.raises(ValueError, match="two axes"):
        fnp.fill_diagonal(A[0], 1.0, inplace=False)
    with pytest.raises(ValueError, match="one length"):
        fnp.fill_diagonal(A[None], 1.0, inplace=False)
