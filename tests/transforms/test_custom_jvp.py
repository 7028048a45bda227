"""custom_jvp: the rule is used, by every way to a derivative, and what does not fit is an error."""

import functools
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.custom_derivatives import SymbolicZero, zero_from_primal
from funcgrad.errors import ArgumentError, ClosureError, CustomRuleError, LeakedTracerError

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])


def sine():
    """sin with a rule that is wrong by a factor of 2, so that one sees that it is used."""

    @fg.custom_jvp
    def f(x):
        return fnp.sin(x)

    @f.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return f(x), 2.0 * fnp.cos(x) * t

    return f


def test_the_value_is_that_of_the_function():
    f = sine()
    np.testing.assert_array_equal(f(X), np.sin(X))
    np.testing.assert_array_equal(fg.vmap(f)(X), np.sin(X))
    np.testing.assert_array_equal(fg.make_tape(f)(X)(X), np.sin(X))
    np.testing.assert_array_equal(fg.checkpoint(f)(X), np.sin(X))


@pytest.mark.parametrize("name", [*stacks.REVERSE, *stacks.FORWARD])
def test_first_derivatives_use_the_rule(name):
    derivative = (stacks.REVERSE | stacks.FORWARD)[name]
    stacks.check(derivative(sine()), X, 2 * np.cos(X))


@pytest.mark.parametrize("name", [*stacks.SECOND_REVERSE, *stacks.SECOND_FORWARD])
def test_second_derivatives_are_those_of_the_rule(name):
    derivative = (stacks.SECOND_REVERSE | stacks.SECOND_FORWARD)[name]
    stacks.check(derivative(sine()), X, -2 * np.sin(X))


def test_the_function_and_its_rule_see_one_example():
    shapes = []

    @fg.custom_jvp
    def f(x):
        shapes.append(x.shape)
        return x

    @f.defjvp
    def rule(primals, tangents):
        shapes.extend([primals[0].shape, tangents[0].shape])
        return primals[0], tangents[0]

    fg.vmap(fg.vmap(f))(np.ones((4, 5)))
    fg.jvp(fg.vmap(f), (X,), (X,))
    fg.vmap(fg.grad(f))(X)
    assert set(shapes) == {()} and len(shapes) >= 5


def test_decisions_may_look_at_values():
    @fg.custom_jvp
    def f(x):
        return x if x > 0 else -x

    @f.defjvp
    def rule(primals, tangents):
        return f(*primals), tangents[0] * (3.0 if primals[0] > 0 else 4.0)

    assert (float(fg.grad(f)(1.0)), float(fg.grad(f)(-1.0))) == (3.0, 4.0)
    assert float(fg.grad(fg.checkpoint(f))(-1.0)) == 4.0


def test_pytrees_and_keywords_and_defaults():
    @fg.custom_jvp
    def f(p, scale=2.0):
        return {"y": p["x"] * scale, "none": None}

    @f.defjvp
    def rule(primals, tangents):
        (p, scale), (t, ts) = primals, tangents
        return f(p, scale), {"y": 10.0 * t["x"] * scale + ts, "none": None}

    y, t = fg.jvp(f, ({"x": 3.0},), ({"x": 1.0},))
    assert (float(y["y"]), float(t["y"])) == (6.0, 20.0)
    assert float(fg.grad(lambda x: f({"x": x}, scale=5.0)["y"])(1.0)) == 50.0
    assert float(fg.grad(lambda s: f({"x": 1.0}, scale=s)["y"])(1.0)) == 1.0


def test_only_some_arguments_are_batched_or_differentiated():
    @fg.custom_jvp
    def f(x, w):
        return x * w, w

    @f.defjvp
    def rule(primals, tangents):
        (x, w), (tx, tw) = primals, tangents
        return f(x, w), (tx * w + 7.0 * x * tw, tw)

    batched = fg.vmap(f, in_axes=(0, None))
    y, w = batched(X, 2.0)
    np.testing.assert_array_equal(y, 2 * X)
    np.testing.assert_array_equal(w, [2.0, 2.0, 2.0])
    total = lambda x, w: fnp.sum(batched(x, w)[0])
    np.testing.assert_allclose(fg.grad(total, 0)(X, 2.0), [2.0, 2.0, 2.0])
    np.testing.assert_allclose(fg.grad(total, 1)(X, 2.0), 7 * np.sum(X))
    nested = fg.vmap(fg.vmap(f, (0, None)), (None, 0))
    g = fg.grad(lambda x, w: fnp.sum(nested(x, w)[0]), (0, 1))(X, np.array([2.0, 3.0]))
    np.testing.assert_allclose(g[0], [5.0, 5.0, 5.0])
    np.testing.assert_allclose(g[1], [7 * np.sum(X)] * 2)


def test_a_result_that_the_examples_share_is_not_batched():
    f = fg.custom_jvp(lambda x, y: (x * 1.0, y * 2.0))
    f.defjvp(lambda p, t: (f(*p), (t[0], t[1] * 2.0)))
    batched = fg.vmap(f, in_axes=(0, None), out_axes=(0, None))
    assert float(batched(X, 2.0)[1]) == 4.0
    y, t = fg.jvp(batched, (X, 2.0), (X, 1.0))
    assert (float(y[1]), float(t[1])) == (4.0, 2.0)
    assert float(fg.grad(lambda y: batched(X, y)[1])(2.0)) == 2.0
    assert fg.make_tape(batched)(X, 2.0)(X, 3.0)[1] == 6.0


# What a function closes over.


def test_closing_over_a_batch():
    """The rule holds for each example, whatever else the example brings along."""

    def outer(z):
        def per_example(x):
            g = fg.custom_jvp(lambda y: x * y)
            g.defjvp(lambda p, t: (x * p[0], 5.0 * x * t[0]))
            return g(z)  # no operand is batched

        return fg.vmap(per_example)(X)

    np.testing.assert_allclose(outer(2.0), 2 * X)
    y, t = fg.jvp(outer, (2.0,), (3.0,))
    np.testing.assert_allclose(y, 2 * X)
    np.testing.assert_allclose(t, 15 * X)
    assert float(fg.grad(lambda z: fnp.sum(outer(z)))(2.0)) == pytest.approx(5 * np.sum(X))
    np.testing.assert_allclose(fg.make_tape(outer)(2.0)(3.0), 3 * X)
    np.testing.assert_allclose(fg.checkpoint(outer)(2.0), 2 * X)
    with pytest.raises(LeakedTracerError):  # the rule runs when the vmap that it refers to is over; so it is in JAX
        fg.grad(lambda z: fnp.sum(fg.checkpoint(outer)(z)))(2.0)


def test_closing_over_two_batches():
    def table(z):
        def entry(a, b):
            g = fg.custom_jvp(lambda y: a * y + b)
            g.defjvp(lambda p, t: (g(*p), (a + 10.0 * b) * t[0]))
            return g(z)

        return fg.vmap(lambda a: fg.vmap(lambda b: entry(a, b))(X))(2 * X)

    np.testing.assert_allclose(table(3.0), 6 * X[:, None] + X)
    t = fg.jvp(table, (3.0,), (1.0,))[1]
    np.testing.assert_allclose(t, 2 * X[:, None] + 10 * X)
    np.testing.assert_allclose(fg.jacrev(table)(3.0), 2 * X[:, None] + 10 * X)


def test_a_batched_argument_that_is_not_differentiated():
    f = fg.custom_jvp(lambda x, y: x * y, nondiff_argnums=(0,))
    f.defjvp(lambda x, p, t: (f(x, *p), 5.0 * x * t[0]))
    y, t = fg.jvp(lambda y: fg.vmap(f)(X, y), (X,), (np.ones(3),))
    np.testing.assert_allclose(y, X * X)
    np.testing.assert_allclose(t, 5 * X)
    np.testing.assert_allclose(fg.vmap(fg.grad(f, 1))(X, X), 5 * X)


@pytest.mark.parametrize("derivative", [lambda f: fg.grad(f)(2.0), lambda f: fg.jvp(f, (2.0,), (1.0,))])
@pytest.mark.parametrize("wrap", [lambda f: f, fg.checkpoint, lambda f: lambda x: fg.make_tape(f)(x)(x)])
def test_closing_over_what_is_differentiated_is_an_error(derivative, wrap):
    def outer(x):
        g = fg.custom_jvp(lambda y: x * y)
        g.defjvp(lambda p, t: (g(*p), x * t[0]))
        return g(3.0)

    with pytest.raises(ClosureError, match="custom_jvp function <lambda> with respect to a value that it closes over"):
        derivative(wrap(outer))


def test_an_argument_that_hides_what_is_differentiated_is_an_error():
    g = fg.custom_jvp(lambda h, x: h(x), nondiff_argnums=(0,))
    g.defjvp(lambda h, p, t: (g(h, *p), 2.0 * t[0]))
    with pytest.raises(LeakedTracerError, match="closes over"):
        fg.jvp(lambda x: g(lambda y: x + y, x), (2.0,), (1.0,))


def test_it_may_close_over_constants_and_what_is_cut_off():
    def outer(x):
        a = fg.stop_gradient(x)
        g = fg.custom_jvp(lambda y: a * y)
        g.defjvp(lambda p, t: (g(*p), a * t[0]))
        return g(x)

    assert float(fg.grad(outer)(3.0)) == 3.0


# Arguments that are not differentiated, integers, functions, methods.


@pytest.mark.parametrize("where", [{"nondiff_argnums": (0,)}, {"nondiff_argnums": 0}, {"nondiff_argnames": "f"}])
def test_nondiff_arguments_come_first(where):
    g = fg.custom_jvp(lambda f, x: f(x), **where)

    @g.defjvp
    def rule(f, primals, tangents):
        return g(f, *primals), 3.0 * tangents[0]

    assert float(g(fnp.sin, 0.0)) == 0.0
    y, t = fg.jvp(lambda x: g(fnp.cos, x), (0.0,), (1.0,))
    assert (float(y), float(t)) == (1.0, 3.0)
    assert float(fg.grad(lambda x: g(f=fnp.cos, x=x))(0.0)) == 3.0


def test_methods():
    class Scale:
        def __init__(self, k):
            self.k = k

        @functools.partial(fg.custom_jvp, nondiff_argnums=(0,))
        def apply(self, x):
            return self.k * x

        @apply.defjvp
        def rule(self, primals, tangents):
            return self.apply(*primals), 10.0 * self.k * tangents[0]

    assert float(fg.grad(Scale(2.0).apply)(3.0)) == 20.0


def test_functools_partial():
    f = functools.partial(lambda x, y, a: x + y * a, a=0.1)
    g = fg.custom_jvp(f)
    g.defjvp(lambda p, t: fg.jvp(f, p, t))
    assert [float(v) for v in fg.grad(lambda args: g(*args))((1.0, 2.0))] == [1.0, 0.1]


def test_functions_without_a_signature():
    f = fg.custom_jvp(max)
    f.defjvp(lambda p, t: (max(*p), 10.0 * t[0]))
    assert [float(g) for g in fg.grad(f, (0, 1))(1.0, 2.0)] == [10.0, 0.0]
    with pytest.raises(ArgumentError, match="pass arguments to max by position"):
        f(1.0, 2.0, key=3.0)


def test_integers_have_tangents_of_dtype_float0():
    seen = []
    f = fg.custom_jvp(lambda x, n: x**n)

    @f.defjvp
    def rule(primals, tangents):
        (x, n), (t, tn) = primals, tangents
        seen.append(tn)
        return f(x, n), n * x ** (n - 1) * t

    assert float(fg.grad(f)(2.0, 3)) == 12.0
    np.testing.assert_allclose(fg.vmap(fg.grad(f))(X, np.arange(3)), np.arange(3) * X ** (np.arange(3) - 1.0))
    assert all(t.dtype == fg.float0 for t in seen)


def test_integer_and_boolean_results():
    f = fg.custom_jvp(lambda x: (x > 0, x))
    f.defjvp(lambda p, t: (f(*p), (zero_from_primal(p[0] > 0), 2.0 * t[0])))
    (_, y), (t_bool, t) = fg.jvp(f, (3.0,), (1.0,))
    assert (float(y), float(t)) == (3.0, 2.0) and t_bool.dtype == fg.float0
    assert float(fg.grad(lambda x: f(x)[1])(3.0)) == 2.0


def test_complex_numbers():
    f = fg.custom_jvp(lambda z: z * z)
    f.defjvp(lambda p, t: (f(*p), 2.0 * p[0] * t[0]))
    z = 1.0 + 2.0j
    assert complex(fg.grad(f, holomorphic=True)(z)) == 2 * z
    plain = fg.grad(lambda z: fnp.real(z * z * 1j))(z)
    assert complex(fg.grad(lambda z: fnp.real(f(z) * 1j))(z)) == complex(plain)


def test_no_arguments_and_no_result():
    f = fg.custom_jvp(lambda: 3.0)
    f.defjvp(lambda p, t: (3.0, 0.0))
    assert float(f()) == 3.0
    f = fg.custom_jvp(lambda x: None)
    f.defjvp(lambda p, t: (None, None))
    assert fg.jvp(f, (1.0,), (1.0,)) == (None, None)


# Symbolic zeros.


@pytest.mark.parametrize("batched", [False, True])
def test_symbolic_zeros(batched):
    f = fg.custom_jvp(lambda x, y: x * y)
    seen = []

    def rule(primals, tangents):
        (x, y), (tx, ty) = primals, tangents
        seen.append((type(tx) is SymbolicZero, type(ty) is SymbolicZero, ty.shape))
        return f(x, y), tx * y

    f.defjvp(rule, symbolic_zeros=True)
    g = fg.vmap(f) if batched else f
    _, t = fg.jvp(lambda x: g(x, X), (X,), (np.ones(3),))
    np.testing.assert_allclose(t, X)
    np.testing.assert_allclose(fg.grad(lambda x: fnp.sum(g(x, X)))(X), X)
    assert seen == [(False, True, () if batched else (3,))] * 2


def test_a_rule_may_give_a_symbolic_zero_back():
    f = fg.custom_jvp(lambda x, y: x * y)
    f.defjvp(lambda p, t: (f(*p), t[1]), symbolic_zeros=True)
    assert float(fg.jvp(lambda x: f(x, 2.0), (3.0,), (1.0,))[1]) == 0.0
    np.testing.assert_array_equal(fg.grad(lambda x: fnp.sum(fg.vmap(f)(x, X)))(X), np.zeros(3))


def test_symbolic_zero_says_what_it_is():
    zero = SymbolicZero((2, 3), "float32")
    assert (zero.shape, zero.ndim, zero.size, zero.dtype) == ((2, 3), 2, 6, np.float32)
    assert repr(zero) == "SymbolicZero(float32[2,3])"
    np.testing.assert_array_equal(zero.instantiate(), np.zeros((2, 3), np.float32))
    assert type(zero_from_primal(X, symbolic_zeros=True)) is SymbolicZero
    assert zero_from_primal(3).dtype == fg.float0


# defjvps.


def test_rules_argument_by_argument():
    f = fg.custom_jvp(lambda x, y: x**2 * y)
    f.defjvps(lambda t, out, x, y: 2.0 * out / x * t, None)
    assert [float(g) for g in fg.grad(f, (0, 1))(2.0, 3.0)] == [12.0, 0.0]
    f.defjvps(None, lambda t, out, x, y: x**2 * t)
    assert [float(v) for v in fg.jvp(f, (2.0, 3.0), (1.0, 1.0))] == [12.0, 4.0]
    f.defjvps(None, None)
    assert [float(v) for v in fg.jvp(f, (2.0, 3.0), (1.0, 1.0))] == [12.0, 0.0]


# A rule may call the function, on primals and on tangents.


def test_a_linear_function_that_is_its_own_derivative():
    f = fg.custom_jvp(lambda x: -x)
    f.defjvp(lambda p, t: (f(*p), f(*t)))
    stacks.check(fg.grad(stacks.summed(f)), X, -np.ones(3))
    stacks.check(fg.grad(stacks.summed(stacks.in_scan(f))), X, -np.ones(3))
    div = fg.custom_jvp(lambda x, y: x / y)
    div.defjvp(lambda p, t: (div(*p), div(t[0], p[1])))
    assert float(fg.grad(div)(1.0, 4.0)) == 0.25


def test_each_call_of_the_function_within_the_rule_has_its_own_derivative():
    @fg.custom_jvp
    def expit(x):
        return 1.0 / (1.0 + fnp.exp(-x))

    @expit.defjvp
    def rule(primals, tangents):
        y = expit(*primals)
        return y, y * (1.0 - y) * tangents[0]

    y = 1 / (1 + np.exp(-X))
    stacks.check(fg.grad(stacks.summed(expit)), X, y * (1 - y))
    stacks.check(stacks.SECOND_REVERSE["grad of grad"](expit), X, y * (1 - y) * (1 - 2 * y))


def test_a_rule_may_hold_other_transforms():
    def f(x):
        return fnp.sin(x) * x

    g = fg.custom_jvp(f)
    g.defjvp(lambda p, t: (f(*p), fg.vmap(fg.grad(f))(*p) * t[0]))
    stacks.check(fg.grad(stacks.summed(g)), X, np.cos(X) * X + np.sin(X))
    g.defjvp(lambda p, t: fg.jvp(f, p, t))
    stacks.check(fg.grad(stacks.summed(g)), X, np.cos(X) * X + np.sin(X))


# What does not fit.


def rule_of(rule, fun=lambda x: x**2, x=2.0):
    f = fg.custom_jvp(fun)
    f.defjvp(rule)
    return lambda: fg.jvp(f, (x,), (np.ones_like(x),))


def foo_jvp(found):
    def foo_jvp(primals, tangents):
        return found(primals[0], tangents[0])

    return foo_jvp


@pytest.mark.parametrize(
    "found, message",
    [
        (lambda x, t: t, r"rule foo_jvp for function <lambda> must produce a pair .* but got 1\.0"),
        (lambda x, t: (x, [t, t]), r"foo_jvp .* equal container \(pytree\) structures, but got PyTreeDef\(\*\) and"),
        (lambda x, t: (x, None), "equal container"),
        (lambda x, t: (x, fnp.reshape(t, (1,))), r"Expected float64\[\] .* but got float64\[1\]"),
        (lambda x, t: (x, fnp.float32(1.0)), r"Expected float64\[\] .* but got float32\[\]"),
        (lambda x, t: (x, 1j * t), r"Expected float64\[\] .* but got complex128\[\]"),
        (lambda x, t: (x, "text"), "must be an array or a number"),
    ],
)
def test_rules_that_give_something_else(found, message):
    with pytest.raises(TypeError, match=message):
        rule_of(foo_jvp(found))()


@pytest.mark.parametrize("found", [lambda x, t: ((x, x), (t, t)), lambda x, t: (fnp.ones(3), fnp.ones(3))])
def test_a_rule_whose_result_is_not_that_of_the_function(found):
    """Seen where the function has run before its rule, as in a tape."""
    f = fg.custom_jvp(lambda x: x)
    f.defjvp(foo_jvp(found))
    tape = fg.make_tape(f)(1.0)
    with pytest.raises(CustomRuleError, match=r"must produce a pair .* the first element"):
        fg.jvp(tape, (1.0,), (1.0,))


@pytest.mark.parametrize(
    "found",
    [
        lambda x, t: (x, fnp.sin(t)),
        lambda x, t: (x, t * t),
        lambda x, t: (x, fnp.where(t > 0, t, 0.0)),
        lambda x, t: (x, fnp.abs(t)),
        lambda x, t: (x, t if t > 0 else 0 * t),
        lambda x, t: (x + t, t),
    ],
)
def test_reverse_mode_refuses_rules_that_are_not_linear(found):
    f = fg.custom_jvp(lambda x: x)
    f.defjvp(foo_jvp(found))
    with pytest.raises(TypeError):
        fg.grad(f)(1.0)


def test_reverse_mode_names_what_is_not_linear():
    f = fg.custom_jvp(lambda x: x)
    f.defjvp(foo_jvp(lambda x, t: (x, fnp.sin(t))))
    with pytest.raises(CustomRuleError, match=r"JVP rule of <lambda>, which must be linear .* operation sin"):
        fg.grad(f)(1.0)


def test_reverse_mode_computes_nothing_with_tangents():
    """Zero times infinity would warn, and the rule is fine."""
    f = fg.custom_jvp(lambda x: x)
    f.defjvp(lambda p, t: (p[0], t[0] * fnp.inf))
    assert float(fg.grad(f)(1.0)) == np.inf


def test_without_a_rule():
    f = fg.custom_jvp(lambda x: x)
    for call in (lambda: f(1.0), lambda: fg.grad(f)(1.0), lambda: fg.jvp(f, (1.0,), (1.0,))):
        with pytest.raises(AttributeError, match="No JVP defined for custom_jvp function <lambda> using defjvp"):
            call()


def test_arguments_that_do_not_fit():
    @fg.custom_jvp
    def f(x, y, *, z=None):
        return x + y

    f.defjvp(lambda p, t: (f(*p), t[0] + t[1]))
    assert float(f(1.0, y=2.0)) == 3.0
    with pytest.raises(TypeError, match=r"custom_jvp-decorated function f.*\nmissing a required argument: 'y'"):
        f(1.0)
    with pytest.raises(TypeError, match="keyword arguments could not be resolved to positions: z"):
        f(1.0, 2.0, z=1.0)
    with pytest.raises(ArgumentError, match="argument 1 must be an array"):
        f(1.0, "text")


@pytest.mark.parametrize(
    "make",
    [
        lambda: fg.custom_jvp(3),
        lambda: fg.custom_jvp(lambda x: x, nondiff_argnames="y"),
        lambda: fg.custom_jvp(lambda f, x: x, nondiff_argnums=0).defjvps(None),
    ],
)
def test_definitions_that_make_no_sense(make):
    with pytest.raises(ArgumentError):
        make()


def test_nondiff_argnums_beyond_the_arguments():
    f = fg.custom_jvp(lambda *xs: xs[0], nondiff_argnums=(2,))
    f.defjvp(lambda k, p, t: (p[0], t[0]))
    with pytest.raises(ArgumentError, match=r"nondiff_argnums=\(2,\).*called with 1 argument"):
        f(1.0)


def test_exceptions_of_the_user_pass():
    def fail(*_):
        raise KeyError("mine")

    f = fg.custom_jvp(fail)
    f.defjvp(fail)
    for call in (lambda: f(1.0), lambda: fg.vmap(f)(X), lambda: fg.grad(f)(1.0), lambda: fg.jvp(f, (1.0,), (1.0,))):
        with pytest.raises(KeyError, match="mine"):
            call()


def test_it_keeps_name_and_docstring():
    @fg.custom_jvp
    def f(x):
        """What f does."""
        return x

    assert (f.__name__, f.__doc__, f.__wrapped__(1)) == ("f", "What f does.", 1)


def test_nothing_the_caller_owns_can_change_a_result():
    f = sine()
    x = X.copy()
    _, pullback = fg.vjp(f, x)
    x[:] = 0.0
    np.testing.assert_allclose(pullback(np.ones(3))[0], 2 * np.cos(X))


def test_a_call_of_the_host_on_numbers_while_a_program_is_recorded():
    """Nothing is closed over; the callback is written down all the same."""
    twice = fg.custom_jvp(
        lambda x: fg.pure_callback(lambda x: 2 * x, fg.ShapeDtypeStruct((), "float64"), x, vmap_method="broadcast_all")
    )
    twice.defjvp(lambda primals, tangents: (twice(*primals), 2 * tangents[0]))
    assert float(fg.jit(fg.grad(lambda y: twice(np.float64(0.3)) * y))(2.0)) == 0.6
    assert float(fg.jit(fg.grad(twice))(0.3)) == 2.0
