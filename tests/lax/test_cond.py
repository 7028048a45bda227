import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError


def double(x):
    return 2 * x


def negate(x):
    return -x


# Predicates and indices.


@pytest.mark.parametrize("wrapped", [lambda p: p, np.asarray, fnp.asarray], ids=["number", "ndarray", "Array"])
@pytest.mark.parametrize("pred, expected", [(True, 6.0), (False, -3.0), (0, -3.0), (2, 6.0), (0.0, -3.0), (-0.5, 6.0)])
def test_predicates(pred, expected, wrapped):
    assert lax.cond(wrapped(pred), double, negate, 3.0) == expected


@pytest.mark.parametrize(
    "pred, message",
    [
        (None, "cond predicate is None"),
        ("foo", "Pred must be a scalar, got foo of type <class 'str'>"),
        ([], r"Pred must be a scalar, got \[\] of type <class 'list'>"),
        ((1.0, 1.0), "Pred must be a scalar, got .* of type <class 'tuple'>"),
        (np.array([True, False]), r"Pred must be a scalar, got .* of shape \(2,\).*funcgrad.numpy.where"),
        (1j, "Pred type must be either boolean or number, got complex128"),
        (double, "Pred type must be either boolean or number, got <function"),
    ],
)
def test_predicates_that_are_none(pred, message):
    with pytest.raises(TypeError, match=message):
        lax.cond(pred, double, negate, 3.0)


@pytest.mark.parametrize("index, expected", [(-5, 0), (0, 0), (1, 1), (2, 2), (7, 2), (np.uint8(1), 1)])
def test_an_index_beyond_the_ends_is_moved_to_them(index, expected):
    branches = [lambda x: x, lambda x: x + 1, lambda x: x + 2]
    assert lax.switch(index, branches, 0.0) == expected
    assert fg.make_tape(lambda i: lax.switch(i, branches, 0.0))(index)(index) == expected
    np.testing.assert_array_equal(fg.vmap(lambda i: lax.switch(i, branches, 0.0))(np.array([index, 1])), [expected, 1])


@pytest.mark.parametrize(
    "index, message",
    [
        ("foo", "Index type must be an integer, got foo"),
        (double, "Index type must be an integer, got <function"),
        (1.0, "Index type must be an integer, got 1.0 as float64"),
        (True, "Index type must be an integer, got True as bool"),
        ((1, 1), r"Branch index must be scalar, got \(1, 1\) of shape \(2,\)"),
        (np.array([0, 1]), r"Branch index must be scalar, got .* of shape \(2,\)"),
    ],
)
def test_indices_that_are_none(index, message):
    with pytest.raises(TypeError, match=message):
        lax.switch(index, [double, negate], 1.0)


def test_one_branch():
    for index in (-1, 0, 1):
        assert lax.switch(index, [double], 3.0) == 6.0
    np.testing.assert_array_equal(fg.vmap(lambda i: lax.switch(i, [double], 1.0 * i))(np.arange(3)), [0.0, 2.0, 4.0])


def test_no_branch():
    with pytest.raises(ValueError, match="Empty branch sequence"):
        lax.switch(0, [], 1.0)


def test_branches_are_functions():
    with pytest.raises(TypeError, match="true_fun and false_fun arguments should be callable"):
        lax.cond(True, 1, 2)
    with pytest.raises(TypeError, match="branches argument should be a sequence of callables"):
        lax.switch(0, [3])


# Operands and results.


def test_operands():
    assert lax.cond(True, lambda: 1.0, lambda: 2.0) == 1.0
    assert lax.cond(False, lambda x, y, z: x + y + z, lambda x, y, z: x * y * z, 2.0, 3.0, 4.0) == 24.0
    assert lax.cond(True, lambda _: 1.0, lambda _: 2.0, operand=None) == 1.0
    assert lax.switch(1, [double, negate], operand=3.0) == -3.0
    assert lax.cond(False, 2.0, double, 3.0, negate) == -3.0  # each function with an operand of its own
    assert lax.cond(True, (2.0, 5.0), lambda p: p[1], 3.0, negate) == 5.0
    for choose in (
        lambda: lax.cond(True, double, negate, 3.0, operand=3.0),
        lambda: lax.switch(0, [double], 3.0, operand=1),
    ):
        with pytest.raises(TypeError, match="operand' keyword is passed then no positional operands"):
            choose()


def test_operands_that_can_be_called():
    """A container that happens to be callable is an operand all the same."""

    class Box:
        def __init__(self, x):
            self.x = x

        def __call__(self):
            raise AssertionError("this is data")

    fg.tree.register_pytree_node(Box, lambda b: ((b.x,), None), lambda _, children: Box(*children))
    assert lax.cond(True, lambda a, b: a + b.x, lambda a, b: a - b.x, 3, Box(4)) == 7
    assert lax.cond(False, lambda a, b: a.x + b.x, lambda a, b: a.x - b.x, Box(3), Box(4)) == -1


@pytest.mark.parametrize("pred", [True, False])
def test_results_are_arrays_in_the_containers_of_the_branches(pred):
    out = lax.cond(pred, lambda x: {"a": x, "b": (1, None)}, lambda x: {"a": x, "b": (np.array(2), None)}, 5)
    assert out == {"a": 5, "b": (1 if pred else 2, None)}
    assert type(out["a"]) is fg.Array and type(out["b"][0]) is fg.Array


def test_an_operand_is_no_array():
    with pytest.raises(ArgumentError, match=r"cond: the value at \[1\]\['a'\] must be an array or a number"):
        lax.cond(True, lambda x, y: x, lambda x, y: x, 1.0, {"a": "text"})


def test_numbers_leave_single_precision_alone():
    x = np.float32(3)
    assert lax.cond(True, lambda s: s * x, lambda s: x, 2.0).dtype == np.float32


def test_nothing_the_caller_owns_is_seen_later():
    x = np.ones(2)
    out = lax.cond(True, lambda x: x, lambda x: x, x)
    x[:] = 5
    np.testing.assert_array_equal(out, [1.0, 1.0])


# What is run.


def test_only_the_chosen_branch_is_run_on_values():
    seen = []

    def note(x):
        seen.append(x)
        return x

    for _ in range(3):
        lax.cond(True, note, negate, 3.0)
    assert [float(x) for x in seen] == [3.0] * 3


def test_the_other_branch_is_run_once_on_shapes():
    seen = []

    def note(x):
        seen.append(x)
        return x

    for _ in range(3):
        assert lax.cond(False, note, negate, fnp.array(3.0)) == -3.0
    (x,) = seen
    assert (x.shape, x.dtype) == ((), float)
    with pytest.raises(fg.errors.LeakedTracerError):
        x + 1


def test_a_branch_that_is_not_chosen_may_fail():
    def fails(x):
        raise ValueError("this is not for such x")

    assert lax.cond(False, fails, negate, 3.0) == -3.0
    with pytest.raises(ValueError, match="not for such x"):
        lax.cond(True, fails, negate, 3.0)


def test_recursion_ends():
    def factorial(n):
        return lax.cond(n == 0, lambda: 1.0, lambda: n * factorial(n - 1))

    assert factorial(5.0) == 120.0


def test_branches_of_a_batch_run_if_an_example_takes_them():
    calls = []
    kind = fg.ShapeDtypeStruct((), float)

    def noted(name):
        def host(x):
            calls.append(name)
            return x

        return lambda x: fg.pure_callback(host, kind, x, vmap_method="legacy_vectorized")

    f = fg.vmap(lambda i, x: lax.switch(i, [noted("zero"), noted("one"), noted("two")], x))
    np.testing.assert_array_equal(f(np.array([0, 2, 2]), np.arange(3.0)), [0.0, 1.0, 2.0])
    assert calls == ["zero", "two"]


def test_a_batch_that_agrees_keeps_one_branch():
    tape = fg.make_tape(fg.vmap(lambda p, x: lax.cond(p, double, negate, x), in_axes=(None, 0)))(True, np.ones(3))
    assert "where" not in str(tape) and "cond(a, b)" in str(tape)
    np.testing.assert_array_equal(tape(False, np.ones(3)), [-1.0] * 3)


def test_operands_that_all_branches_give_back_are_not_chosen_from():
    def f(x, y):
        return lax.cond(x < 3, lambda x, y: (x * 2, y), lambda x, y: (x * 3, y), x, y)

    a, b = fg.vmap(f, in_axes=(0, None), out_axes=(0, None))(np.arange(5), 7.0)
    np.testing.assert_array_equal(a, [0, 2, 4, 9, 12])
    assert b == 7.0


# Derivatives where the other branch has none.


def test_no_nan_from_branches_that_examples_do_not_take():
    def safe_root(x):
        return lax.cond(x < 1e-3, lambda: 1e-3, lambda: fnp.sqrt(x))

    x = np.array([0.0, 0.0, 4.0])
    for f in (fg.vmap(fg.grad(safe_root)), fg.grad(lambda x: fg.vmap(safe_root)(x).sum())):
        np.testing.assert_array_equal(f(x), [0.0, 0.0, 0.25])
        np.testing.assert_array_equal(fg.make_tape(f)(x)(x), [0.0, 0.0, 0.25])


def test_no_nan_in_the_cotangent_of_what_examples_share():
    """The branch divides by x, which is 0 where it is not taken, and x multiplies a weight of all examples."""

    def loss(w, x):
        return lax.cond(x > 0, lambda: w / x, lambda: 0.0 * w)

    def total(w):
        return fg.vmap(loss, in_axes=(None, 0))(w, np.array([0.0, 2.0, 0.0])).sum()

    assert fg.grad(total)(3.0) == 0.5
    assert fg.make_tape(fg.grad(total))(3.0)(3.0) == 0.5


def test_custom_rules_in_branches():
    @fg.custom_jvp
    def f(x):
        return x

    f.defjvp(lambda primals, tangents: (primals[0] * 3.0, tangents[0] * 7.0))

    def g(p, x):
        return lax.cond(p > 0, f, lambda x: x, x)

    assert fg.jvp(lambda x: g(1.0, x), (2.0,), (1.0,)) == (6.0, 7.0)
    np.testing.assert_array_equal(fg.vmap(fg.grad(g, 1), in_axes=(0, None))(np.array([1.0, -1.0]), 2.0), [7.0, 1.0])


# Branches that do not go together.

WRONG = {
    "structure": (
        lambda x: 2.0,
        lambda x: (3.0, 3.0),
        "cond branch outputs must have the same pytree structure.*"
        "true_fun output is a pytree leaf but false_fun output is a tuple of length 2, so their Python types differ",
    ),
    "length": (
        lambda x: {"a": [x, x]},
        lambda x: {"a": [x]},
        r"output at path \['a'\] is a list of length 2 but false_fun output at path \['a'\] is a list of length 1",
    ),
    "keys": (lambda x: {"a": x}, lambda x: {"b": x}, "so the keys do not match"),
    "shape": (
        lambda x: fnp.array([1.0], "float32"),
        lambda x: np.float32(1),
        r"cond branches must have equal output types but they differ.*"
        r"The output of true_fun has type float32\[1\] but the corresponding output of false_fun has type float32\[\], "
        r"so the shapes do not match",
    ),
    "dtype": (lambda x: 5, lambda x: x, r"type int64\[\] .* type float64\[\], so the dtypes do not match"),
    "leaf": (
        lambda x: {"a": x, "b": fnp.ones(2)},
        lambda x: {"a": 1, "b": fnp.ones((2, 1))},
        r"(?s)output of true_fun at path \['a'\] has type float64\[\].*path \['b'\] has type float64\[2\]",
    ),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(
    "choose",
    [
        lambda t, f: lax.cond(True, t, f, 1.0),
        lambda t, f: lax.cond(False, t, f, 1.0),
        lambda t, f: fg.make_tape(lambda p: lax.cond(p, t, f, 1.0))(True),
        lambda t, f: fg.vmap(lambda p: lax.cond(p, t, f, 1.0))(np.array([True, False])),
    ],
    ids=["true", "false", "tape", "batch"],
)
def test_branches_with_different_results(name, choose):
    true_fun, false_fun, message = WRONG[name]
    with pytest.raises(ArgumentError, match=f"(?s){message}"):
        choose(lambda x: true_fun(x), lambda x: false_fun(x))


def test_branches_of_switch_with_different_results():
    with pytest.raises(TypeError, match=r"(?s)switch branch outputs .*branch 0 output is a pytree leaf but branch 2"):
        lax.switch(0, [double, negate, lambda x: (x, x)], 1.0)
    with pytest.raises(
        TypeError, match=r"(?s)switch branches .*output of branch 0 has type float64\[\] .* of branch 1"
    ):
        lax.switch(1, [double, lambda x: x[None]], 1.0)
