"""jit under and around every transform: the values are those without it, and nothing is recorded twice."""

import functools

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.bodies import with_compiled_bodies
from funcgrad.compile.disable import disable_jit
from funcgrad.compile.jit import jit
from funcgrad.errors import NonFiniteError
from funcgrad.lax.parallel import axis_index, psum

X = np.linspace(0.2, 1.5, 4)
V = np.array([1.0, -2.0, 0.5, 3.0])


def f(x):
    return fnp.sum(fnp.sin(x) * x * x[0]) / (1.0 + x @ x)


def vector(x):
    return fnp.cumsum(fnp.tanh(x) * x[::-1]) + x[0]


def close(found, expected, rtol=1e-12):
    for a, b in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=1e-13)


def differences(f, x, h=1e-6):
    return np.stack([(np.asarray(f(x + h * e)) - np.asarray(f(x - h * e))) / (2 * h) for e in np.eye(x.size)], axis=-1)


TRANSFORMS = {
    "grad": lambda f: fg.grad(lambda x: fnp.sum(f(x))),
    "value_and_grad": lambda f: fg.value_and_grad(lambda x: fnp.sum(f(x))),
    "vjp": lambda f: lambda x: fg.vjp(f, x)[1](V),
    "jvp": lambda f: lambda x: fg.jvp(f, (x,), (V,)),
    "linearize": lambda f: lambda x: fg.linearize(f, x)[1](V),
    "jacfwd": fg.jacfwd,
    "jacrev": fg.jacrev,
    "hessian": fg.hessian,
    "vmap": lambda f: lambda x: fg.vmap(f)(x * np.ones((3, 1))),
    "vmap of two": lambda f: lambda x: fg.vmap(lambda a, b: f(a * b), (0, None))(x * np.ones((3, 1)), x),
    "vmap, last axis": lambda f: lambda x: fg.vmap(f, 1, 1)(x * np.ones((4, 4))),
    "vmap of vmap": lambda f: lambda x: fg.vmap(fg.vmap(f))(x * np.ones((2, 3, 1))),
    "vmap of grad": lambda f: lambda x: fg.vmap(fg.grad(lambda y: f(y)[2]))(x * np.ones((3, 1))),
    "grad of vmap": lambda f: fg.grad(lambda x: fnp.sum(fg.vmap(f)(x * np.ones((3, 1))))),
    "checkpoint": lambda f: fg.grad(lambda x: fnp.sum(fg.checkpoint(f)(x))),
    "named_call": lambda f: fg.jacrev(fg.named_call(f, name="part")),
    "make_tape": lambda f: lambda x: fg.make_tape(f)(x)(x),
    "hvp": lambda f: lambda x: fg.hvp(lambda y: fnp.sum(f(y)), (x,), (V,)),
    "linear_transpose": lambda f: lambda x: fg.linear_transpose(fg.linearize(f, x)[1], x)(V),
    "scan": lambda f: lambda x: fg.lax.scan(lambda c, _: (f(c), c), fnp.asarray(x), length=3),
    "grad of scan": lambda f: fg.grad(lambda x: fnp.sum(fg.lax.scan(lambda c, _: (f(c), None), x, length=3)[0])),
    "cond": lambda f: fg.jacrev(lambda x: fg.lax.cond(x[0] > 0, f, lambda y: y, x)),
    "while_loop": lambda f: fg.jacfwd(
        lambda x: fg.lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, f(c[1])), (0, x))[1]
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_jit_under_around_and_on_both_sides(name):
    transform = TRANSFORMS[name]
    expected = transform(vector)(X)
    close(transform(jit(vector))(X), expected)
    close(jit(transform(vector))(X), expected)
    close(jit(transform(jit(vector)))(X), expected)
    close(transform(jit(jit(vector)))(X), expected)
    close(transform(jit(vector, backend="eager"))(X), expected)
    close(jit(transform(jit(vector)), backend="eager")(X), expected)
    compiled = jit(transform(vector))
    compiled(X)
    close(compiled(X), expected)
    with disable_jit():
        close(compiled(X), expected)


@pytest.mark.parametrize("outer", ["grad", "jvp", "vjp", "vmap"])
@pytest.mark.parametrize("inner", ["grad", "jacfwd", "vmap", "scan", "checkpoint"])
def test_two_transforms_with_jit_between(outer, inner):
    def as_vector(g):
        return lambda x: sum([fnp.reshape(leaf, (-1, 4)).sum(0) for leaf in fg.tree.leaves(g(x))])

    expected = TRANSFORMS[outer](as_vector(TRANSFORMS[inner](vector)))(X)
    close(TRANSFORMS[outer](jit(as_vector(TRANSFORMS[inner](vector))))(X), expected)
    close(jit(TRANSFORMS[outer](jit(as_vector(TRANSFORMS[inner](jit(vector))))))(X), expected)


def test_gradient_against_differences():
    np.testing.assert_allclose(fg.grad(jit(f))(X), differences(f, X), rtol=1e-7)
    np.testing.assert_allclose(fg.hessian(jit(f))(X), differences(fg.grad(f), X), rtol=1e-6)


@pytest.mark.parametrize("name", ["grad", "jvp", "jacfwd", "jacrev", "hessian", "vmap", "linearize", "scan"])
def test_nothing_is_recorded_again(name):
    runs = []

    @jit
    def g(x):
        runs.append(None)
        return vector(x)

    transformed = TRANSFORMS[name](g)
    transformed(X)
    (program,) = g._programs.by_key.values()
    derived = programs_below(program.call.body)
    for k in range(100):
        transformed(X + k)
    assert len(runs) == 1
    assert programs_below(program.call.body) == derived


def programs_below(body):
    """How many programs have been derived from one, and from those."""
    found = 0
    for made in body.derived.values():
        for call in made if isinstance(made, tuple) else (made,):
            if hasattr(call, "body"):
                found += 1 + programs_below(call.body)
    return found


# Closures.


def test_a_compiled_function_closes_over_values_of_outer_transforms():
    def g(x):
        return fnp.sum(jit(lambda y: y * x * fnp.sin(x))(x))

    np.testing.assert_allclose(fg.grad(g)(X), 2 * X * np.sin(X) + X**2 * np.cos(X))
    np.testing.assert_allclose(fg.vmap(g)(X), X**2 * np.sin(X))
    np.testing.assert_allclose(fg.hessian(g)(X), fg.hessian(lambda x: fnp.sum(x * x * fnp.sin(x)))(X), atol=1e-14)
    np.testing.assert_allclose(jit(fg.grad(g))(X), 2 * X * np.sin(X) + X**2 * np.cos(X))
    assert fg.grad(lambda x: jit(lambda y: y * x)(2.0))(3.0) == 2.0
    assert fg.grad(lambda x: jit(lambda: x * x)())(3.0) == 6.0


def test_what_is_closed_over_is_looked_up_each_time():
    @jit
    def g(y):
        return y * box[0]

    box = [fnp.asarray(2.0)]

    def outer(x):
        box[0] = x
        return g(1.0)

    assert fg.grad(outer)(3.0) == 1.0
    assert fg.jvp(outer, (3.0,), (5.0,)) == (3.0, 5.0)


# Custom rules, callbacks, effects.


def test_custom_rules_are_obeyed():
    @fg.custom_jvp
    def g(x):
        return fnp.sin(x)

    g.defjvp(lambda primals, tangents: (g(primals[0]), 10.0 * tangents[0]))

    @fg.custom_vjp
    def h(x):
        return fnp.sin(x)

    h.defvjp(lambda x: (h(x), None), lambda _, ct: (20.0 * ct,))
    for rule, slope in ((g, 10.0), (h, 20.0)):
        for function in (jit(rule), lambda x, rule=rule: jit(lambda y: rule(y))(x)):
            np.testing.assert_allclose(function(X), np.sin(X))
            np.testing.assert_array_equal(fg.grad(lambda x, g=function: fnp.sum(g(x)))(X), slope)
            np.testing.assert_array_equal(jit(fg.grad(lambda x, g=function: fnp.sum(g(x))))(X), slope)
            np.testing.assert_array_equal(fg.vmap(fg.grad(function))(X), slope)
    inside = fg.custom_jvp(lambda x: jit(lambda y: fnp.sin(y))(x))
    inside.defjvp(lambda primals, tangents: (inside(primals[0]), jit(lambda t: 30.0 * t)(tangents[0])))
    np.testing.assert_array_equal(jit(fg.vmap(fg.grad(inside)))(X), 30.0)


def test_prints_and_callbacks_act_at_each_run(capsys):
    seen = []

    @jit
    def g(x):
        fg.debug.print("x = {}", x)
        fg.debug.callback(lambda v: seen.append(float(v)), 2 * x)
        y = fg.pure_callback(lambda v: np.cos(v), fg.ShapeDtypeStruct((), float), x, vmap_method="sequential")
        return x * x + fg.stop_gradient(y)

    assert g(1.0) == 1.0 + np.cos(1.0)
    assert g(2.0) == 4.0 + np.cos(2.0)
    assert capsys.readouterr().out == "x = 1.0\nx = 2.0\n"
    assert seen == [2.0, 4.0]
    del seen[:]
    fg.vmap(g)(np.array([3.0, 4.0]))
    assert seen == [6.0, 8.0]
    del seen[:]
    jit(lambda x: g(x) + g(x))(5.0)
    assert seen == [10.0, 10.0], "effects are not common subexpressions"


def test_debug_nans_sees_the_lines_of_a_compiled_function():
    @jit
    def g(x):
        y = x - 1.0
        return fnp.sum(fnp.log(y))

    assert g(np.array([2.0])) == 0.0
    with np.errstate(divide="ignore"):
        assert g(np.array([1.0])) == -np.inf
    with fg.debug.nans(), pytest.raises(NonFiniteError, match=r"log(.|\n)*test_call.py"):
        g(np.array([1.0]))
    with fg.debug.nans(), pytest.raises(NonFiniteError, match="log"):
        fg.grad(g)(np.array([1.0]))


# Control flow.


def newton(a):
    def far(x):
        return fnp.abs(x * x - a) > 1e-12

    return fg.lax.while_loop(far, lambda x: (x + a / x) / 2, 1.0)


def recurrent(w, xs):
    def step(h, x):
        h = fnp.tanh(w @ h + x)
        return h, h[0]

    h, ys = fg.lax.scan(step, fnp.zeros(4), xs)
    return fnp.sum(h) + fnp.sum(ys)


W = np.random.default_rng(0).standard_normal((4, 4)) / 3
XS = np.random.default_rng(1).standard_normal((6, 4))

CONTROL = {
    "while_loop": (newton, (2.5,)),
    "scan": (recurrent, (W, XS)),
    "reversed scan": (lambda w, xs: fg.lax.scan(lambda c, x: (c * x, c), w[0], xs, reverse=True), (W, XS)),
    "fori_loop": (lambda x: fg.lax.fori_loop(0, 5, lambda i, c: c * fnp.cos(x) + i, x), (X,)),
    "fori_loop to an argument": (lambda x, n: fg.lax.fori_loop(0, n, lambda i, c: c * 0.5 + x, x), (X, 7)),
    "cond": (lambda x: fg.lax.cond(fnp.sum(x) > 1, lambda x: fnp.sin(x), lambda x: x * 2, x), (X,)),
    "switch": (lambda x, i: fg.lax.switch(i, [fnp.sin, fnp.exp, lambda x: x * x], x), (X, 2)),
    "map": (lambda x: fg.lax.map(lambda a: a * a + x[0], x), (X,)),
    "nested": (
        lambda x: fg.lax.scan(
            lambda c, a: (
                fg.lax.cond(a > 0.5, newton, lambda a: a * c, a),
                fg.lax.fori_loop(0, 2, lambda i, s: s * a, c),
            ),
            1.0,
            x,
        ),
        (X,),
    ),
}


@pytest.mark.parametrize("backend", ["numpy", "eager"])
@pytest.mark.parametrize("name", CONTROL)
def test_control_flow_inside(name, backend):
    g, args = CONTROL[name]
    compiled = jit(g, backend=backend)
    close(compiled(*args), g(*args))
    close(compiled(*args), g(*args))

    def total(g):
        return lambda *moving: sum([fnp.sum(o) for o in fg.tree.leaves(g(*moving, *args[len(moving) :]))])

    moving = args[:1]
    expected = fg.grad(total(g))(*moving)
    close(fg.grad(total(compiled))(*moving), expected)
    close(jit(fg.grad(total(g)), backend=backend)(*moving), expected)
    close(fg.jvp(total(compiled), moving, moving), fg.jvp(total(g), moving, moving))
    close(jit(lambda *m: fg.jvp(total(g), m, m), backend=backend)(*moving), fg.jvp(total(g), moving, moving))
    batch = tuple([np.stack([np.asarray(m), np.asarray(m) * 1.1, np.asarray(m) * 0.9]) for m in moving])
    close(fg.vmap(total(compiled))(*batch), fg.vmap(total(g))(*batch))
    close(jit(fg.vmap(fg.grad(total(g))), backend=backend)(*batch), fg.vmap(fg.grad(total(g)))(*batch), rtol=1e-10)


def test_the_steps_of_a_loop_run_compiled():
    """A scan is part of the program. The reverse mode of a loop of unknown length runs steps that are compiled."""
    source = jit(recurrent, backend="numpy").source(W, np.tile(XS, (20, 1)))
    assert "    for " in source

    def halved(x):
        return fg.lax.while_loop(lambda x: fnp.sum(x) > 1.0, lambda x: fnp.sin(x) / 2, x)

    tape = jit(lambda x: fg.vjp(halved, x)[1](x)).lower(XS)
    found = []
    with_compiled_bodies(tape, lambda t: found.append(t) or fg.transforms.bodies.TapeBody(t))
    assert [len(t) for t in found] == [2, 2]


def test_a_compiled_function_in_a_loop():
    step = jit(lambda c, x: (fnp.tanh(c + x), c))
    xs = np.arange(5.0)
    expected = fg.lax.scan(lambda c, x: (fnp.tanh(c + x), c), 0.0, xs)
    close(fg.lax.scan(step, 0.0, xs), expected)
    close(jit(lambda xs: fg.lax.scan(step, 0.0, xs))(xs), expected)
    assert step._cache_size() <= 2


# Collectives, random numbers.


def test_collectives_under_a_named_axis():
    def g(x):
        return x / psum(x, "batch") + axis_index("batch")

    expected = X / X.sum() + np.arange(4)
    np.testing.assert_allclose(fg.vmap(jit(g), axis_name="batch")(X), expected)
    np.testing.assert_allclose(jit(fg.vmap(g, axis_name="batch"))(X), expected)
    np.testing.assert_allclose(jit(fg.vmap(jit(g), axis_name="batch"))(X), expected)


def test_what_is_around_counts():
    g = jit(lambda: psum(1, "i"))
    for size in (2, 3):
        assert fg.vmap(g, axis_name="i", axis_size=size, out_axes=None)() == size


def test_random_keys():
    def g(key):
        a, b = fg.random.split(key)
        return fg.random.normal(a, (3,)) * fg.random.uniform(b), fg.random.randint(a, (2,), 0, 10)

    for key in (fg.random.key(3), fg.random.PRNGKey(3)):
        close(jit(g)(key), g(key), rtol=1e-15)
        close(fg.vmap(jit(g))(fg.random.split(key, 4)), fg.vmap(g)(fg.random.split(key, 4)), rtol=1e-15)


# Pullbacks as values.


def test_a_pullback_passes_through_jit():
    y, pullback = fg.vjp(jit(vector), X)
    close(jit(lambda p, v: p(v))(pullback, V), pullback(V))
    y, pullback = jit(lambda x: fg.vjp(vector, x))(X)
    close(y, vector(fnp.asarray(X)))
    close(pullback(V), fg.vjp(vector, X)[1](V))


def test_only_some_arguments_are_differentiated():
    @jit
    def g(x, n, flag, w):
        return fnp.sum(x * n + fnp.where(flag, w, 0.0)), fnp.argmax(x)

    (_, place), gradient = fg.value_and_grad(g, argnums=(0, 3), has_aux=True)(X, 3, True, 2.0)
    assert place == 3
    close(gradient, (np.full(4, 3.0), np.float64(4.0)))
    (_, place), tangent = fg.jvp(lambda x: g(x, 3, False, 1.0), (X,), (V,))
    assert tangent[1].dtype == fg.float0
    assert fg.linear_transpose(jit(lambda x: 3.0 * x), 1.0)(2.0) == (6.0,)


# What tapes show.


def test_a_call_is_one_equation_that_shows_its_body():
    inner = jit(lambda x: fnp.sin(x) * 2.0)
    tape = fg.make_tape(lambda x: inner(x) + 1.0)(1.0)
    assert len(tape) == 3  # the call, its result, the sum
    lines = str(tape).splitlines()
    assert lines[1] == "  b: (float64[]) = jit[<lambda>](a)"
    assert [line.strip() for line in lines[3:6]] == [
        "b: float64[] = sin(a)",
        "c: float64[] = multiply(b, 2.0)",
        "return c",
    ]
    assert lines[3].startswith("      ")
    assert tape(0.5) == np.sin(0.5) * 2.0 + 1.0
    assert "jit[" in tape.mermaid()
    assert "jit[" in str(fg.vjp(lambda x: inner(x) + 1.0, 1.0)[1].tape)


def test_compiled_programs_have_no_calls_left():
    nested = jit(lambda x: jit(lambda y: jit(fnp.sin)(y) * 2.0)(x) + 1.0)
    assert len(nested.lower(1.0)) == 3
    assert functools.reduce(lambda g, _: jit(g), range(5), fnp.sin)(0.5) == np.sin(0.5)
