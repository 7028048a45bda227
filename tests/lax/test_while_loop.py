import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError


def newton_root(a):
    return lax.while_loop(lambda x: fnp.abs(x * x - a) > 1e-13, lambda x: (x + a / x) / 2, 1.0)


A = np.array([4.0, 9.0, 1.0, 150.0])


def test_values_and_closed_form_derivatives():
    for a in A:
        np.testing.assert_allclose(newton_root(a), np.sqrt(a), rtol=1e-14)
        np.testing.assert_allclose(fg.grad(newton_root)(a), 0.5 / np.sqrt(a) if a != 1 else 0.0, rtol=1e-12)
    np.testing.assert_allclose(fg.vmap(newton_root)(A), np.sqrt(A), rtol=1e-14)


def test_examples_of_a_batch_take_as_many_steps_as_alone():
    def count(a):
        return lax.while_loop(lambda s: s[0] > 1, lambda s: (s[0] / 2, s[1] + 1), (a, 0))

    value, steps = fg.vmap(count)(A)
    np.testing.assert_array_equal(steps, [int(np.ceil(np.log2(a))) for a in A])
    np.testing.assert_array_equal(value, A / 2.0**steps)
    np.testing.assert_array_equal(fg.make_tape(fg.vmap(count))(A)(A)[1], steps)


def test_a_condition_that_is_the_same_for_all_examples_knows_their_carry():
    f = fg.vmap(lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x))[1])
    assert f"while(a: int64[], b: float64[{len(A)}])" in str(fg.jit(f).lower(A))
    np.testing.assert_array_equal(fg.jit(f)(A), A * 8)


def test_it_may_take_no_step():
    assert lax.while_loop(lambda _: False, lambda _: (), ()) == ()
    assert lax.while_loop(lambda x: x < 0, lambda x: x + 1, 5.0) == 5.0
    assert fg.grad(lambda x: lax.while_loop(lambda x: x < 0, lambda x: x * 3, x))(5.0) == 1.0
    np.testing.assert_array_equal(fg.vmap(lambda x: lax.while_loop(lambda x: x < 0, lambda x: -x, x))(A), A)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("limit", [2, 0], ids=["two steps", "no step"])
def test_a_number_takes_on_the_dtype_that_the_function_gives(dtype, limit):
    one = fnp.array(1, dtype)
    for loop in (
        lambda: lax.while_loop(lambda s: s[0] < limit, lambda s: (s[0] + 1, s[1] + one), (0, 0))[1],
        lambda: fg.make_tape(
            lambda: lax.while_loop(lambda s: s[0] < limit, lambda s: (s[0] + 1, s[1] + one), (0, 0))[1]
        )()(),
    ):
        assert loop().dtype == dtype and loop() == limit


def test_a_number_stays_as_weak_as_it_is():
    x, n = lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * s[1] + 0.5, s[1] + 1), (np.float32(1), 0))
    assert x.dtype == np.float32 and n.dtype == int and type(n) is fg.Array
    assert x == ((1 * 0 + 0.5) * 1 + 0.5) * 2 + 0.5


def test_containers_and_what_the_caller_owns():
    start = {"x": np.ones(2), "n": [0, None]}
    out = lax.while_loop(lambda s: s["n"][0] < 3, lambda s: {"x": s["x"] * 2, "n": [s["n"][0] + 1, None]}, start)
    np.testing.assert_array_equal(out["x"], [8.0, 8.0])
    assert out["n"] == [3, None] and start["n"] == [0, None]
    kept = lax.while_loop(lambda s: False, lambda s: s, start)["x"]
    start["x"][:] = 7
    np.testing.assert_array_equal(kept, [1.0, 1.0])


def test_the_function_may_return_plain_numbers():
    assert lax.while_loop(lambda s: s[1] < 10, lambda s: (7, s[1] + 1), (33, 4)) == (7, 10)
    out = lax.while_loop(lambda s: s[1] < 2, lambda s: (0.0, s[1] + s[0].size), (fnp.float32(1), 0))
    assert out[0].dtype == np.float32 and out == (0.0, 2)


def test_many_leaves():
    out = lax.while_loop(lambda s: s[0] < 2, lambda s: tuple(x + 1 for x in s), (0,) * 256)
    assert out == (2,) * 256


def test_the_condition_may_begin_to_differ_on_the_way():
    """Two steps are the same for all examples; only then does the batch come in."""

    def f(x):
        return lax.while_loop(lambda s: s[0] < 20, lambda s: (s[0] + fnp.where(s[1] < 2, 1, x), s[1] + 1), (0, 0))

    total, steps = fg.vmap(f)(np.array([3, 10, 20]))
    np.testing.assert_array_equal(steps, [8, 4, 3])
    np.testing.assert_array_equal(total, [20, 22, 22])


def test_loops_in_loops_of_a_batch():
    def table(a, b):
        def row(state):
            total, i, _ = state
            total, i, j = lax.while_loop(
                lambda s: s[2] < b + 1, lambda s: (s[0] + s[1] + s[2], s[1], s[2] + 1), (total, i, 0)
            )
            return total, i + 1, j

        return lax.while_loop(lambda s: s[1] < a + 1, row, (0, 0, 0))[0]

    expected = [sum(i + j for i in range(n + 1) for j in range(n + 1)) for n in range(5)]
    n = np.arange(5)
    assert [int(table(k, k)) for k in n] == expected
    np.testing.assert_array_equal(fg.vmap(table)(n, n), expected)
    np.testing.assert_array_equal(fg.make_tape(fg.vmap(table))(n, n)(n, n), expected)


def test_reverse_mode_through_steps_that_would_not_be_defined_later():
    """Once an example is done, another step would take the root of a negative number, and the rest divide by it."""

    def f(w, x):
        return lax.while_loop(lambda y: y > 1.0, lambda y: w * fnp.sqrt(y - 1.0), x)

    def alone(w, x):
        while x > 1.0:
            x = w * fnp.sqrt(x - 1.0)
        return x

    x = np.array([0.5, 1.7, 5.0, 1.0])
    expected = [fg.grad(alone, (0, 1))(0.9, v) for v in x]
    for g in (
        fg.vmap(fg.grad(f, (0, 1)), in_axes=(None, 0)),
        fg.make_tape(fg.vmap(fg.grad(f, (0, 1)), in_axes=(None, 0)))(0.9, x),
    ):
        np.testing.assert_allclose(np.transpose(g(0.9, x)), expected, rtol=1e-13)
    shared = fg.grad(lambda w: fnp.sum(fg.vmap(f, in_axes=(None, 0))(w, x)))(0.9)
    np.testing.assert_allclose(shared, sum(e[0] for e in expected), rtol=1e-13)


def test_residuals_are_those_of_the_steps_taken():
    def f(x, n):
        return lax.while_loop(lambda s: s[1] < n, lambda s: (fnp.sin(s[0]), s[1] + 1), (x, 0))[0]

    x = np.ones(1000)
    assert [fg.vjp(f, x, n)[1].tape.residual_bytes for n in (0, 1, 5)] == [0, 8000, 40000]


# Errors.


@pytest.mark.parametrize(
    "cond_fun, message",
    [
        (lambda c: (1.0, 1.0), r"cond_fun must return a boolean scalar, but got pytree PyTreeDef\(\(\*, \*\)\)"),
        (lambda c: np.float32(1.0), r"cond_fun must return a boolean scalar, but got output type\(s\) \[float32\[\]\]"),
        (lambda c: 1, r"output type\(s\) \[int64\[\]\]"),
        (lambda c: np.zeros(3, bool), r"output type\(s\) \[bool\[3\]\].*funcgrad.numpy.any or all"),
        (lambda c: None, "got pytree PyTreeDef"),
    ],
)
def test_conditions_that_are_none(cond_fun, message):
    for loop in (lambda: lax.while_loop(cond_fun, lambda c: c, 0.0), lambda: fg.make_tape(loop_of(cond_fun))(0.0)):
        with pytest.raises(TypeError, match=message):
            loop()


def loop_of(cond_fun):
    return lambda x: lax.while_loop(cond_fun, lambda c: c, x)


WRONG = {
    "structure": (
        0.0,
        lambda c: (c, c),
        "while_loop body function carry input and carry output must have the same pytree structure, but they differ.*"
        "The input carry c is a pytree leaf but the corresponding component of the carry output is a tuple of length 2",
    ),
    "dtype": (
        (np.bool_(True), np.float32(0)),
        lambda c: (True, True),
        r"while_loop body function carry input and carry output must have equal types, but they differ.*"
        r"The input carry component c\[1\] has type float32\[\] but the corresponding output carry component has type "
        r"bool\[\], so the dtypes do not match.*\.astype",
    ),
    "shape": ({"a": 1.0}, lambda c: {"a": c["a"] * fnp.ones(2)}, r"c\['a'\] has type float64\[\] .* float64\[2\]"),
    "a number that cannot hold the result": (0.5, lambda c: fnp.array(1), r"type float64\[\] .* type int64\[\]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_carries_that_change(name):
    start, body_fun, message = WRONG[name]
    with pytest.raises(ArgumentError, match=f"(?s){message}"):
        lax.while_loop(lambda c: True, body_fun, start)
    with pytest.raises(ArgumentError, match=f"(?s){message}"):
        fg.make_tape(lambda: lax.while_loop(lambda c: True, body_fun, start))()


def test_a_carry_that_changes_in_the_second_step():
    x = np.float32(1)
    with pytest.raises(ArgumentError, match=r"c\[0\] has type float32\[\] .* float64\[\]"):
        lax.while_loop(lambda c: True, lambda c: (x * c[1], fnp.array(2.0) + c[1]), (x, 0))


def test_arguments_are_functions():
    with pytest.raises(TypeError, match="body_fun and cond_fun arguments should be callable"):
        lax.while_loop(1, lambda c: c, 0)


def test_a_leaf_is_no_array():
    with pytest.raises(ArgumentError, match=r"while_loop: the value at \[1\] must be an array or a number"):
        lax.while_loop(lambda c: True, lambda c: c, (0, "text"))
    with pytest.raises(ArgumentError, match="while_loop: the value at the root must be an array or a number"):
        lax.while_loop(lambda c: True, lambda c: "text", 0)
