"""custom_vjp: both halves of the rule are used, by every way to a derivative, and what does not fit is an error."""

import functools
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.custom_derivatives import CustomVJPPrimal, SymbolicZero, custom_vjp_primal_tree_values
from funcgrad.errors import ArgumentError, ClosureError, CustomRuleError, LeakedTracerError, ShapeError

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])


def sine():
    """sin with a rule that is wrong by a factor of 2, so that one sees that it is used."""

    @fg.custom_vjp
    def f(x):
        return fnp.sin(x)

    f.defvjp(lambda x: (f(x), fnp.cos(x)), lambda cos, g: (2.0 * cos * g,))
    return f


def rule_of(bwd, fwd=lambda x: (x, None), fun=lambda x: x):
    f = fg.custom_vjp(fun)
    f.defvjp(fwd, bwd)
    return f


def test_the_value_is_that_of_the_function():
    f = sine()
    np.testing.assert_array_equal(f(X), np.sin(X))
    np.testing.assert_array_equal(fg.vmap(f)(X), np.sin(X))
    np.testing.assert_array_equal(fg.make_tape(f)(X)(X), np.sin(X))
    np.testing.assert_array_equal(fg.vjp(f, X)[0], np.sin(X))


@pytest.mark.parametrize("name", stacks.REVERSE)
def test_first_derivatives_use_the_rule(name):
    stacks.check(stacks.REVERSE[name](sine()), X, 2 * np.cos(X))


@pytest.mark.parametrize("name", stacks.SECOND_REVERSE)
def test_second_derivatives_are_those_of_the_rule(name):
    stacks.check(stacks.SECOND_REVERSE[name](sine()), X, -2 * np.sin(X))


@pytest.mark.parametrize("name", [n for n in stacks.FORWARD if n not in ("jacfwd", "linearize", "linearize of vmap")])
def test_forward_mode_is_refused(name):
    with pytest.raises(TypeError, match=r"can't apply forward-mode autodiff \(jvp\) to a custom_vjp function"):
        stacks.FORWARD[name](sine())(X)


def test_forward_mode_goes_through_the_backward_half():
    f = rule_of(lambda x, g: (fnp.cos(x) * g,), lambda x: (fnp.sin(x), x), fnp.sin)
    _, t = fg.jvp(lambda c: fg.vjp(lambda x: fnp.sin(x), 0.5)[1](c)[0], (2.0,), (1.0,))
    assert float(t) == pytest.approx(np.cos(0.5))
    _, pullback = fg.vjp(f, 0.5)
    assert float(fg.jvp(lambda c: pullback(c)[0], (2.0,), (1.0,))[1]) == pytest.approx(np.cos(0.5))


def test_the_halves_see_one_example():
    shapes = []

    def fwd(x):
        shapes.append(x.shape)
        return x, x

    def bwd(x, g):
        shapes.extend([x.shape, g.shape])
        return (g,)

    f = rule_of(bwd, fwd)
    fg.vmap(fg.vmap(fg.grad(f)))(np.ones((4, 5)))
    fg.grad(lambda x: fnp.sum(fg.vmap(f)(x)))(X)
    assert set(shapes) == {()} and len(shapes) == 6


def test_decisions_may_look_at_values():
    f = rule_of(
        lambda x, g: ((3.0 if x > 0 else 4.0) * g,),
        lambda x: (x, x) if x > 0 else (-x, x),
        lambda x: x if x > 0 else -x,
    )
    assert (float(fg.grad(f)(1.0)), float(fg.grad(f)(-1.0)), float(f(-2.0))) == (3.0, 4.0, 2.0)
    assert float(fg.grad(fg.checkpoint(f))(-1.0)) == 4.0


def test_pytrees_and_keywords_and_defaults():
    @fg.custom_vjp
    def f(p, scale=2.0):
        return {"y": p["x"] * scale, "none": None}

    f.defvjp(
        lambda p, scale=2.0: (f(p, scale), {"scale": scale, "nothing": None, "number": 3, "text": "abc"}),
        lambda kept, g: ({"x": 10.0 * g["y"] * kept["scale"] * kept["number"] / len(kept["text"])}, g["y"]),
    )
    assert float(fg.grad(lambda p: f(p)["y"])({"x": 1.0})["x"]) == 20.0
    assert float(fg.grad(lambda x: f({"x": x}, scale=5.0)["y"])(1.0)) == 50.0
    assert float(fg.grad(lambda s: f({"x": 1.0}, scale=s)["y"])(1.0)) == 1.0


def test_the_cotangent_of_a_shared_argument_is_a_sum():
    f = rule_of(lambda k, g: (g * k[1], g * k[0]), lambda x, w: (x * w, (x, w)), lambda x, w: x * w)
    batched = fg.vmap(f, in_axes=(0, None))
    g = fg.grad(lambda x, w: fnp.sum(batched(x, w)), (0, 1))(X, 2.0)
    np.testing.assert_allclose(g[0], [2.0, 2.0, 2.0])
    np.testing.assert_allclose(g[1], np.sum(X))
    nested = fg.vmap(fg.vmap(f, (0, None)), (None, 0))
    g = fg.grad(lambda x, w: fnp.sum(nested(x, w)), (0, 1))(X, np.array([2.0, 3.0]))
    np.testing.assert_allclose(g[0], [5.0, 5.0, 5.0])
    np.testing.assert_allclose(g[1], [np.sum(X)] * 2)
    second = fg.grad(lambda w: fg.grad(lambda w: fnp.sum(batched(X, w) ** 2))(w))(2.0)  # of Σ x² w²
    assert float(second) == pytest.approx(2 * np.sum(X * X))


def test_a_result_that_the_examples_share_is_not_batched():
    f = rule_of(lambda _, g: (g[0], g[1] * 2.0), lambda x, y: (f(x, y), None), lambda x, y: (x * 1.0, y * 2.0))
    batched = fg.vmap(f, in_axes=(0, None), out_axes=(0, None))
    assert float(batched(X, 2.0)[1]) == 4.0
    assert float(fg.grad(lambda y: batched(X, y)[1])(2.0)) == 2.0
    np.testing.assert_allclose(fg.grad(lambda x: fnp.sum(batched(x, 2.0)[0]))(X), np.ones(3))


def test_a_pullback_may_be_called_many_times():
    f = sine()
    _, pullback = fg.vjp(fg.vmap(f), X)
    for scale in (1.0, 3.0):
        np.testing.assert_allclose(pullback(scale * np.ones(3))[0], scale * 2 * np.cos(X))


def test_what_is_kept_may_be_a_pullback():
    f = rule_of(lambda pullback, g: pullback(g), lambda x: fg.vjp(fnp.sin, x), fnp.sin)
    stacks.check(fg.grad(stacks.summed(f)), X, np.cos(X))
    stacks.check(fg.vmap(fg.grad(f)), X, np.cos(X))
    stacks.check(fg.grad(stacks.summed(fg.vmap(f))), X, np.cos(X))
    stacks.check(fg.grad(stacks.summed(fg.grad(stacks.summed(f)))), X, -np.sin(X))


def test_the_tape_keeps_what_the_forward_half_says():
    f = rule_of(lambda k, g: (g * k,), lambda x: (fnp.exp(x), fnp.cos(x)), fnp.exp)
    _, pullback = fg.vjp(f, np.ones(1000))
    assert pullback.tape.residual_bytes == 8000
    f.defvjp(lambda x: (fnp.exp(x), None), lambda _, g: (g,))
    assert fg.vjp(f, np.ones(1000))[1].tape.residual_bytes == 0


def test_what_the_user_owns_is_copied():
    kept = np.array([1.0, 2.0, 3.0])
    f = rule_of(lambda k, g: (k * g,), lambda x: (x, kept))
    _, pullback = fg.vjp(f, X)
    kept[:] = 0.0
    np.testing.assert_array_equal(pullback(np.ones(3))[0], [1.0, 2.0, 3.0])


# What a function closes over.


@pytest.mark.parametrize("kept", [False, True])
def test_the_backward_half_may_close_over_values_of_other_transforms(kept):
    def f(y):
        if kept:
            g = rule_of(lambda y, ct: (2.0 * fnp.cos(y) * ct,), lambda x: (x, y))
        else:
            g = rule_of(lambda _, ct: (2.0 * fnp.cos(y) * ct,))
        return fg.grad(g)(1.0)

    assert float(f(2.0)) == pytest.approx(2 * np.cos(2.0))
    stacks.check(fg.vmap(f), X, 2 * np.cos(X))
    assert float(fg.grad(f)(4.0)) == pytest.approx(-2 * np.sin(4.0))
    stacks.check(stacks.taped(fg.vmap(f)), X, 2 * np.cos(X))


def test_closing_over_a_batch():
    def outer(z):
        def per_example(x):
            g = rule_of(lambda x, ct: (5.0 * x * ct,), lambda y: (x * y, x), lambda y: x * y)
            return g(z)  # no operand is batched

        return fg.vmap(per_example)(X)

    np.testing.assert_allclose(outer(2.0), 2 * X)
    assert float(fg.grad(lambda z: fnp.sum(outer(z)))(2.0)) == pytest.approx(5 * np.sum(X))
    np.testing.assert_allclose(fg.jacrev(outer)(2.0), 5 * X)
    np.testing.assert_allclose(fg.make_tape(outer)(2.0)(3.0), 3 * X)


@pytest.mark.parametrize("wrap", [lambda f: f, fg.checkpoint, lambda f: lambda x: fg.make_tape(f)(x)(x)])
def test_closing_over_what_is_differentiated_is_an_error(wrap):
    def outer(x):
        return rule_of(lambda _, g: (g,), lambda y: (x * y, None), lambda y: x * y)(3.0)

    with pytest.raises(ClosureError, match="custom_vjp function <lambda> with respect to a value that it closes over"):
        fg.grad(wrap(outer))(2.0)


def test_a_nondiff_argument_that_is_differentiated_is_an_error():
    f = fg.custom_vjp(lambda x, y: x * y, nondiff_argnums=(0,))
    f.defvjp(lambda x, y: (f(x, y), None), lambda x, _, g: (g,))
    assert float(f(2.0, 3.0)) == 6.0
    with pytest.raises(LeakedTracerError, match="custom_vjp"):
        fg.grad(lambda x: f(x, 3.0))(2.0)


# Arguments that are not differentiated, integers, methods.


@pytest.mark.parametrize("where", [{"nondiff_argnums": (0, 1)}, {"nondiff_argnames": ("f", "k")}])
def test_nondiff_arguments_come_first(where):
    g = fg.custom_vjp(lambda f, k, x: k * f(x), **where)
    g.defvjp(lambda f, k, x: (g(f, k, x), fnp.cos(x)), lambda f, k, cos, ct: (k * f(cos) * ct,))
    assert float(g(fnp.exp, 2, 0.0)) == 2.0
    assert float(fg.grad(lambda x: g(fnp.exp, 2, x))(0.0)) == pytest.approx(2 * np.e)
    np.testing.assert_allclose(fg.vmap(fg.grad(lambda x: g(fnp.exp, 2, x)))(X), 2 * np.exp(np.cos(X)))


def test_methods():
    class Scale:
        def __init__(self, k):
            self.k = k

        @functools.partial(fg.custom_vjp, nondiff_argnums=(0,))
        def apply(self, x):
            return self.k * x

        def fwd(self, x):
            return self.apply(x), None

        def bwd(self, _, g):
            return (10.0 * self.k * g,)

        apply.defvjp(fwd, bwd)

    assert float(fg.grad(Scale(2.0).apply)(3.0)) == 20.0


def test_nones_stand_for_zeros_also_of_subtrees():
    f = rule_of(lambda _, g: ((g, (None, None)), None), lambda x, y: (x[0], None), lambda x, y: x[0])
    (a, (b, c)), d = fg.grad(f, (0, 1))((1.0, (2.0, 3.0)), 4.0)
    assert [float(v) for v in (a, b, c, d)] == [1.0, 0.0, 0.0, 0.0]
    f.defvjp(lambda x, y: (x[0], None), lambda _, g: (None, g))
    (a, (b, c)), d = fg.grad(f, (0, 1))((1.0, (2.0, 3.0)), 4.0)
    assert [float(v) for v in (a, b, c, d)] == [0.0, 0.0, 0.0, 1.0]


def test_nones_in_arguments_and_results():
    f = rule_of(lambda _, g: ((g[1], None),), lambda x: ((None, x[0]), None), lambda x: (None, x[0]))
    a, none = fg.grad(lambda x: f(x)[1])((2.0, None))
    assert float(a) == 1.0 and none is None
    f = rule_of(lambda _, g: 1 / 0, lambda x: (None, x), lambda x: None)
    assert float(fg.grad(lambda x: (fg.vmap(f, out_axes=None)(X * x), x)[1])(2.0)) == 1.0


def test_a_container_that_takes_no_nones():
    class Strict(list):
        pass

    def unflatten(_, children):
        assert None not in children
        return Strict(children)

    fg.tree.register_pytree_node(Strict, lambda s: (list(s), None), unflatten)
    f = rule_of(lambda _, g: (Strict([g]),), lambda x: (x[0], None), lambda x: x[0])
    assert float(fg.grad(f)(Strict([3.0]))[0]) == 1.0


def test_integer_arguments_and_results():
    f = rule_of(lambda k, g: (g[0] * k, 7), lambda x, n: ((x * n, n), n), lambda x, n: (x * n, n))
    x_bar, n_bar = fg.grad(lambda x, n: f(x, n)[0], (0, 1), allow_int=True)(2.0, 3)
    assert float(x_bar) == 3.0 and n_bar.dtype == fg.float0
    np.testing.assert_allclose(fg.vmap(fg.grad(lambda x, n: f(x, n)[0]))(X, np.arange(3)), [0.0, 1.0, 2.0])


def test_complex_numbers():
    f = rule_of(lambda z, g: (2.0 * z * g,), lambda z: (z * z, z), lambda z: z * z)
    z = 1.0 + 2.0j
    assert complex(fg.grad(f, holomorphic=True)(z)) == 2 * z
    plain = fg.grad(lambda z: fnp.real(z * z * 1j))(z)
    assert complex(fg.grad(lambda z: fnp.real(f(z) * 1j))(z)) == complex(plain)


def test_cotangents_take_on_the_dtype_of_the_argument():
    f = rule_of(lambda _, g: (np.float64(3.0),), fun=lambda x: x)
    assert fg.grad(f)(np.float32(1.0)).dtype == np.float32
    f.defvjp(lambda x: (x, None), lambda _, g: (2,))
    assert fg.grad(f)(1.0).dtype == np.float64


def test_the_backward_half_may_give_a_list():
    f = rule_of(lambda k, g: [g * k[1], g * k[0]], lambda x, y: (x * y, (x, y)), lambda x, y: x * y)
    assert [float(v) for v in fg.grad(f, (0, 1))(2.0, 3.0)] == [3.0, 2.0]


# Symbolic zeros.


@pytest.mark.parametrize("batched", [False, True])
def test_symbolic_zeros(batched):
    f = fg.custom_vjp(lambda a, b, c: (a, b * c, c))
    seen = {}

    def fwd(*args):
        assert all(type(x) is CustomVJPPrimal for x in args)
        seen["perturbed"] = [x.perturbed for x in args]
        a, b, c = [x.value for x in args]
        return f(a, b, c), c

    def bwd(c, g):
        seen["zero"] = [type(x) is SymbolicZero for x in g]
        seen["shape"] = g[0].shape
        return g[0], g[1] * c, None

    f.defvjp(fwd, bwd, symbolic_zeros=True)
    g = fg.vmap(f) if batched else f
    b_bar = fg.grad(lambda b: fnp.sum(g(2 * X, b, X)[1]))(3 * X)
    np.testing.assert_allclose(b_bar, X)
    assert seen == {
        "perturbed": [False, True, False],
        "zero": [True, False, True],
        "shape": () if batched else (3,),
    }


def test_symbolic_zeros_of_the_wrong_shape():
    f = fg.custom_vjp(lambda x, y: (x, y))
    f.defvjp(lambda x, y: (f(x.value, y.value), None), lambda _, g: (g[1], g[0]), symbolic_zeros=True)
    with pytest.raises(ShapeError, match="Consider just returning a None here"):
        fg.grad(lambda x, y: fnp.sum(f(x, y)[0]), (0, 1))(np.ones(2), np.ones(3))


def test_the_arrays_of_an_argument():
    f = fg.custom_vjp(lambda p: p["x"] * p["y"])

    def fwd(p):
        p = custom_vjp_primal_tree_values(p)
        return f(p), p

    f.defvjp(fwd, lambda p, g: ({"x": g * p["y"], "y": None},), symbolic_zeros=True)
    assert float(fg.grad(f)({"x": 2.0, "y": 5.0})["x"]) == 5.0
    with pytest.raises(CustomRuleError, match=r"takes a pytree of CustomVJPPrimal, found 2.0"):
        custom_vjp_primal_tree_values([2.0])
    assert repr(CustomVJPPrimal(1.0, True)) == "CustomVJPPrimal(value=1.0, perturbed=True)"


# What does not fit.


def bwd_of(found):
    def my_bwd(_, g):
        return found(g)

    return my_bwd


@pytest.mark.parametrize(
    "found, error, message",
    [
        (lambda g: 2.0 * g, CustomRuleError, "bwd rule my_bwd of <lambda> must produce a tuple .* but got float64"),
        (lambda g: (g, g), CustomRuleError, r"my_bwd .*must produce an output with the same container .*\(\*, \*\)"),
        (lambda g: (), CustomRuleError, "tuple of length equal to the number of arguments"),
        (lambda g: ((g, g),), CustomRuleError, "same container"),
        (lambda g: ({"x": g},), CustomRuleError, "same container"),
        (lambda g: (fnp.ones(3),), ShapeError, r"at output\[0\] .* type float64\[3\] corresponding to .* float64\[\]"),
        (lambda g: (g * 1j,), ShapeError, r"complex128\[\] corresponding to an input of type float64\[\]"),
        (lambda g: ("text",), ArgumentError, "must be an array or a number"),
    ],
)
def test_backward_halves_that_give_something_else(found, error, message):
    with pytest.raises(error, match=message):
        fg.grad(rule_of(bwd_of(found)))(2.0)


def test_a_cotangent_for_a_whole_subtree():
    f = rule_of(lambda _, g: (g,), lambda x: (x[0], None), lambda x: x[0])
    with pytest.raises(CustomRuleError, match="same container"):
        fg.grad(f)((1.0, 2.0))


@pytest.mark.parametrize("found", [lambda x: x, lambda x: (x,), lambda x: (x, x, x)])
def test_a_forward_half_that_gives_no_pair(found):
    def my_fwd(x):
        return found(x)

    with pytest.raises(CustomRuleError, match="fwd rule my_fwd for function <lambda> must produce a pair"):
        fg.grad(rule_of(lambda _, g: (g,), my_fwd))(1.0)


@pytest.mark.parametrize("found", [lambda x: (x, x), lambda x: fnp.zeros(3)])
def test_a_forward_half_whose_result_is_not_that_of_the_function(found):
    """Seen where the function has run before its rule, as in a tape."""
    f = rule_of(lambda _, g: (g,), lambda x: (found(x), None))
    tape = fg.make_tape(f)(1.0)
    with pytest.raises(CustomRuleError, match=r"for function <lambda> must produce a pair .* the first element"):
        fg.vjp(tape, 1.0)


def test_without_a_rule():
    f = fg.custom_vjp(lambda x: x)
    for call in (lambda: f(1.0), lambda: fg.grad(f)(1.0)):
        with pytest.raises(AttributeError, match="No VJP defined for custom_vjp function <lambda> using defvjp"):
            call()


def test_arguments_that_do_not_fit():
    @fg.custom_vjp
    def f(x, y, *, z=None):
        return x + y

    f.defvjp(lambda x, y: (x + y, None), lambda _, g: (g, g))
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        f(1.0)
    with pytest.raises(TypeError, match="keyword arguments could not be resolved to positions: z"):
        f(1.0, 2.0, z=1.0)


def test_exceptions_of_the_user_pass():
    def fail(*_):
        raise KeyError("mine")

    f = rule_of(fail)
    with pytest.raises(KeyError, match="mine"):
        fg.grad(f)(1.0)
    f.defvjp(fail, fail)
    with pytest.raises(KeyError, match="mine"):
        fg.vjp(f, 1.0)


def test_optimize_remat_changes_no_result():
    f = fg.custom_vjp(fnp.tan)
    f.defvjp(lambda x: (f(x), x), lambda x, g: (g / fnp.cos(x) ** 2,), optimize_remat=True)
    stacks.check(fg.grad(stacks.summed(fg.checkpoint(f))), X, 1 / np.cos(X) ** 2)
