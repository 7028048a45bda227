"""What a program says of its machine code: the code for people, and the operations that are left to NumPy."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.compile.native.ir import Function, Module, readable
from funcgrad.errors import ArgumentError

X = np.linspace(0.5, 1.0, 30_000).reshape(300, 100)


def mixed(x):
    return fnp.sort(fnp.tanh(x) * 2.0), fnp.sum(fnp.linalg.svd(x, compute_uv=False))


def test_the_cost_names_the_operations_outside():
    found = fg.jit(mixed, backend="native").cost(X).outside
    assert "sort -> float64[300, 100]" in found
    assert any(text.startswith("svdvals -> float64[100]") for text in found)
    assert not any("tanh" in text for text in found)
    assert fg.jit(mixed, backend="numpy").cost(X).outside is None


def test_an_error_names_the_operations_outside():
    with pytest.raises(ArgumentError, match=r"there is none for sort -> .*\[300, 100\]; svdvals -> "):
        fg.jit(mixed, backend="native_only")(X)
    f = fg.jit(lambda x: fnp.sum(fnp.sort(x[:, :30]) ** 2), backend="native_only")
    np.testing.assert_allclose(f(X[:9]), np.sum(X[:9, :30] ** 2), rtol=1e-12)


@pytest.mark.parametrize(
    "f, x",
    [
        (lambda x: fnp.sum(fnp.exp(x) * x), X),
        (lambda x: fnp.sum(fnp.sin(x) * x), X[0, :3]),
        (lambda x: lax.fori_loop(0, 99, lambda i, c: c * x + 1.0, x), 0.5),
        (lambda x: fnp.sum(fnp.log(fnp.maximum(x, 1e-3)) * fnp.sign(x)), X),
    ],
)
def test_nothing_of_these_is_outside(f, x):
    assert fg.jit(f, backend="native").cost(x).outside == ()


def test_the_source_of_a_group_names_its_operations_and_shows_its_code():
    source = fg.jit(lambda x: fnp.sum(fnp.exp(x * 0.25)), backend="native").source(X)
    assert "on 30000 rows, in machine code: multiply, exp, reduce_sum" in source
    assert "define void @group_1(" in source
    assert "double 0.25" in source


def test_code_for_people_has_decimal_numbers_and_says_once_what_all_lanes_have():
    f = Function(Module(), "f", lanes=4)
    assert readable(str(f.constant(0.1, "double"))) == "<4 x double> splat (double 0.1)"
    assert readable("<i32 0, i32 1>, double 0x7FF0000000000000") == "<i32 0, i32 1>, double inf"
