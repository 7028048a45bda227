"""checkpoint: derivatives are those of the function without it; memory and work are what the policy says."""

import sys
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import checkpoint_policies as policies
from funcgrad.ad_checkpoint import saved_residuals
from funcgrad.core.primitive import registry
from funcgrad.errors import ArgumentError, LeakedTracerError, LostTraceError, NoValueError
from funcgrad.testing import check_grads

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])
rng = np.random.default_rng(0)

POLICIES = {
    "default": None,
    "everything": policies.everything_saveable,
    "nothing": policies.nothing_saveable,
    "dots": policies.dots_saveable,
    "dots without batch": policies.dots_with_no_batch_dims_saveable,
    "only names": policies.save_only_these_names("a"),
    "names but": policies.save_any_names_but_these("a"),
    "all but names": policies.save_anything_except_these_names("a"),
    "both": policies.save_from_both_policies(policies.dots_saveable, policies.save_only_these_names("b")),
    "offload dots": policies.offload_dot_with_no_batch_dims("device", "pinned_host"),
    "offload names": policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["a"], names_which_can_be_offloaded=["b"], offload_src="device", offload_dst="host"
    ),
    "some": lambda primitive, *kinds, **params: primitive.name in ("sin", "multiply"),
}


def elementwise(x):
    """Several operations, of which some need their operand, some their result, some neither."""
    y = fg.checkpoint_name(fnp.sin(x) * x, "a")
    z = fg.checkpoint_name(fnp.tanh(y + 0.5), "b")
    return fnp.exp(-z * z) + y


def slope(x):
    """The derivative of `elementwise`, by hand."""
    y, dy = np.sin(x) * x, np.cos(x) * x + np.sin(x)
    z = np.tanh(y + 0.5)
    return np.exp(-z * z) * -2 * z * (1 - z * z) * dy + dy


def network(x):
    """Products of matrices, with and without a batch, and operations with several results."""
    x = fg.checkpoint_name(x @ x.T, "a")
    q, r = fnp.linalg.qr(fnp.sin(x) + 3.0 * fnp.eye(3))
    stack = fnp.stack([q, r])
    return fnp.sum(fnp.einsum("nij,njk->ik", stack, fg.checkpoint_name(fnp.cos(stack @ stack), "b")))


# Derivatives.


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("name", [*stacks.REVERSE, *stacks.FORWARD])
def test_first_derivatives(name, policy):
    derivative = (stacks.REVERSE | stacks.FORWARD)[name]
    stacks.check(derivative(fg.checkpoint(elementwise, policy=policy)), X, slope(X))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("name", [*stacks.SECOND_REVERSE, *stacks.SECOND_FORWARD])
def test_second_derivatives(name, policy):
    derivative = (stacks.SECOND_REVERSE | stacks.SECOND_FORWARD)[name]
    step = 1e-5
    expected = (slope(X + step) - slope(X - step)) / (2 * step)
    found = derivative(fg.checkpoint(elementwise, policy=policy))(X)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-7)


@pytest.mark.parametrize("outer", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("inner", POLICIES.values(), ids=POLICIES)
def test_checkpoints_in_checkpoints(outer, inner):
    f = fg.checkpoint(lambda x: elementwise(fg.checkpoint(fnp.sin, policy=inner)(x)), policy=outer)
    stacks.check(fg.grad(stacks.summed(f)), X, slope(np.sin(X)) * np.cos(X))
    plain = lambda x: elementwise(fnp.sin(x))
    second = stacks.SECOND_REVERSE["grad of grad"]
    stacks.check(second(f), X, np.asarray(second(plain)(X)))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_products_and_operations_with_several_results(policy):
    x = rng.normal(size=(3, 3))
    f = fg.checkpoint(network, policy=policy)
    check_grads(f, (x,), order=2, rtol=1e-5, atol=1e-5)
    xs = rng.normal(size=(2, 3, 3))
    expected = np.stack([fg.grad(network)(x) for x in xs])
    np.testing.assert_allclose(fg.vmap(fg.grad(f))(xs), expected, rtol=1e-9)
    np.testing.assert_allclose(fg.grad(lambda xs: fnp.sum(fg.vmap(f)(xs)))(xs), expected, rtol=1e-9)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_what_it_closes_over_counts_as_an_argument(policy):
    def f(a, x):
        b = fnp.sin(a)
        return fnp.sum(fg.checkpoint(lambda x: fnp.exp(b * x) * b, policy=policy)(x))

    b = np.sin(0.7)
    a_bar, x_bar = fg.grad(f, (0, 1))(0.7, X)
    np.testing.assert_allclose(a_bar, np.cos(0.7) * np.sum(np.exp(b * X) * (1 + b * X)))
    np.testing.assert_allclose(x_bar, np.exp(b * X) * b * b)
    np.testing.assert_allclose(fg.vmap(fg.grad(f), (0, None))(np.array([0.7, 0.7]), X), [a_bar, a_bar])


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_rules_of_the_user_inside(policy):
    sine = fg.custom_jvp(fnp.sin)
    sine.defjvp(lambda p, t: (sine(*p), 2.0 * fnp.cos(p[0]) * t[0]))
    cube = fg.custom_vjp(lambda x: x**3)
    cube.defvjp(lambda x: (x**3, x), lambda x, g: (5.0 * x * x * g,))
    f = fg.checkpoint(lambda x: cube(sine(fnp.exp(x))), policy=policy)
    e = np.exp(X)
    stacks.check(fg.grad(stacks.summed(f)), X, 5 * np.sin(e) ** 2 * 2 * np.cos(e) * e)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_control_flow_inside(policy):
    def f(x, n):
        x, ys = fg.lax.scan(lambda c, k: (fnp.sin(c) * k, c), x, fnp.arange(1.0, 4.0))
        x = fg.lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, fnp.cos(c[1])), (0, x))[1]
        return fg.lax.cond(x > 0, lambda: fnp.exp(x), lambda: x) + fnp.sum(ys)

    g = fg.checkpoint(f, policy=policy)
    for x in X:
        assert float(fg.grad(g)(x, 3)) == pytest.approx(float(fg.grad(f)(x, 3)), rel=1e-12)
    np.testing.assert_allclose(fg.vmap(fg.grad(g), (0, None))(X, 3), [float(fg.grad(f)(x, 3)) for x in X], rtol=1e-12)


def test_decisions_inside_may_look_at_values():
    @fg.checkpoint
    def f(x, n):
        return fnp.sin(x) if x > 0 and n == 2 else x * float(fg.stop_gradient(x)) * int(n)

    assert float(fg.grad(f)(0.5, 2)) == np.cos(0.5)
    assert float(fg.grad(f)(-0.5, 2)) == -1.0
    assert float(fg.grad(f)(0.5, 3)) == 1.5
    with pytest.raises(NoValueError):
        fg.vmap(fg.grad(f), (0, None))(X, 2)
    with pytest.raises(LostTraceError, match=r"float\(x\) on a value of type float64\[\] inside checkpoint"):
        fg.grad(fg.checkpoint(lambda x: x * float(x)))(0.5)


def test_pytrees_nones_and_several_results():
    @fg.checkpoint
    def f(p, q=None):
        return {"a": p["x"] * fnp.sin(p["y"]), "b": (p["x"] + 1.0, None)}, fnp.argmax(p["y"])

    (out, k), pullback = fg.vjp(f, {"x": 2.0, "y": X})
    assert int(k) == 2 and out["b"][1] is None
    (ct,) = pullback(({"a": np.ones(3), "b": (10.0, None)}, np.zeros((), fg.float0)))
    np.testing.assert_allclose(ct["x"], np.sum(np.sin(X)) + 10.0)
    np.testing.assert_allclose(ct["y"], 2 * np.cos(X))


def test_keywords_and_integers():
    f = fg.checkpoint(lambda x, i, *, scale=1.0: x[i] * scale)
    np.testing.assert_array_equal(fg.grad(lambda x: f(x, 1, scale=3.0))(X), [0.0, 3.0, 0.0])
    assert float(fg.grad(lambda s: f(X, 1, scale=s))(2.0)) == X[1]


def test_a_function_of_nothing():
    assert float(fg.grad(lambda x: fg.checkpoint(lambda: fnp.sin(x))())(0.5)) == np.cos(0.5)
    assert float(fg.checkpoint(lambda: 3.0)()) == 3.0


def test_binomial_nesting():
    def nest(n):
        if n == 1:
            return fnp.sin
        first, second = nest(n // 2), nest(n // 2)
        return fg.checkpoint(lambda x: second(first(x)))

    expected, x = np.ones(3), X
    for _ in range(8):
        expected, x = expected * np.cos(x), np.sin(x)
    stacks.check(fg.grad(stacks.summed(nest(8))), X, expected)


# Static arguments.


@pytest.mark.parametrize("where", [1, (1,), -1, (-1,)])
def test_static_arguments(where):
    f = fg.checkpoint(lambda x, name: fnp.sin(x) if name == "sin" else fnp.cos(x), static_argnums=where)
    assert float(f(0.5, "sin")) == np.sin(0.5)
    assert float(fg.grad(f)(0.5, "sin")) == np.cos(0.5)
    assert float(fg.grad(f)(0.5, "cos")) == -np.sin(0.5)


def test_static_arguments_need_not_be_hashable():
    f = fg.checkpoint(lambda options, x: x * options["k"], static_argnums=0)
    assert float(fg.grad(f, 1)({"k": 3}, 2.0)) == 3.0


@pytest.mark.parametrize(
    "static, message",
    [
        (3, "can only take integer values greater than or equal to"),
        ((0, -3), "can only take integer values"),
        ("x", "must be an int, tuple of ints"),
        ([0], "must be an int, tuple of ints"),
        ((True,), "must be an int, tuple of ints"),
    ],
)
def test_static_argnums_that_make_no_sense(static, message):
    f = fg.checkpoint(lambda x, y: x, static_argnums=static)
    for call in (f, fg.grad(f)):
        with pytest.raises((ValueError, TypeError), match=message):
            call(1.0, 2.0)


# Errors.


def test_errors_of_the_user_pass():
    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fg.grad(fg.checkpoint(fail))(1.0)


@pytest.mark.parametrize(
    "f, args",
    [(lambda x: "text", (1.0,)), (lambda x, y: x, (1.0, "text")), (lambda x, y: x, (1.0, {"k": object()}))],
)
def test_what_is_no_array(f, args):
    with pytest.raises(ArgumentError, match=r"checkpoint: .*must be an array or a number"):
        fg.grad(fg.checkpoint(f))(*args)


def test_values_do_not_leave_it():
    seen = []
    fg.grad(fg.checkpoint(lambda x: (seen.append(fnp.sin(x)), x)[1]))(1.0)
    with pytest.raises(LeakedTracerError):
        seen[0] + 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: fg.checkpoint(3),
        lambda: fg.checkpoint_name(1.0, 3),
        lambda: policies.save_and_offload_only_these_names(
            names_which_can_be_saved=["a", "b"], names_which_can_be_offloaded=["b"], offload_src="", offload_dst=""
        ),
    ],
)
def test_definitions_that_make_no_sense(make):
    with pytest.raises(ArgumentError):
        make()


def test_it_keeps_name_and_docstring_and_is_called_remat():
    def f(x):
        """What f does."""
        return x

    assert (fg.checkpoint(f).__name__, fg.checkpoint(f).__doc__, fg.remat) == ("f", "What f does.", fg.checkpoint)
    assert float(fg.grad(fg.remat(fnp.sin, prevent_cse=False, concrete=True))(0.0)) == 1.0


def test_names_are_seen_on_tapes():
    tape = str(fg.make_tape(lambda x: fg.checkpoint_name({"y": fnp.sin(x)}, "hidden")["y"])(1.0))
    assert "name(b, name='hidden')" in tape
    np.testing.assert_array_equal(fg.checkpoint_name(X, "x"), X)


# What is kept.


def kept(f, *args):
    return fg.vjp(f, *args)[1].tape.residual_bytes


def names_kept(f, *args):
    """Where the residuals come from, in short."""
    sources = [source for _, source in saved_residuals(f, *args)]
    return sorted(s.removeprefix("from the argument ").removeprefix("output of ") for s in sources)


def layers(x):
    """exp keeps its result, sin its operand, and a product both."""
    a = fg.checkpoint_name(fnp.exp(x), "a")
    b = fnp.sin(a)
    c = fg.checkpoint_name(b @ b, "c")
    return fnp.sum(fnp.cos(c))


@pytest.mark.parametrize(
    "policy, expected",
    [
        ("default", ["x"]),
        ("nothing", ["x"]),
        ("everything", ["named 'a'", "named 'c'", "sin"]),
        ("dots", ["matmul", "x"]),
        ("only names", ["named 'a'"]),
        ("names but", ["named 'c'", "x"]),
    ],
)
def test_what_each_policy_keeps(policy, expected):
    """With `a` kept nothing asks for x; from the last product alone nothing before it can be had."""
    f = fg.checkpoint(layers, policy=POLICIES[policy])
    assert names_kept(f, np.ones((3, 3))) == expected
    assert kept(f, np.ones((3, 3))) == 72 * len(expected)


def test_only_what_the_derivative_asks_for_is_kept():
    x = np.ones(1000)
    assert kept(fg.checkpoint(lambda x: 3.0 * x + 1.0), x) == 0
    assert kept(fg.checkpoint(lambda x: x * x), x) == 8000
    assert kept(fg.checkpoint(lambda x, y: fnp.sin(x) + y), x, x.copy()) == 8000
    assert kept(fg.checkpoint(lambda x: fnp.sum(fnp.exp(x)), policy=policies.everything_saveable), x) == 8000


def test_a_batch_of_matrices_times_a_matrix_has_no_batch_dims():
    x, w = np.ones((4, 3, 3)), np.ones((3, 3))
    for policy, stacked, expected in [
        (policies.dots_saveable, False, True),
        (policies.dots_with_no_batch_dims_saveable, False, True),
        (policies.dots_saveable, True, True),
        (policies.dots_with_no_batch_dims_saveable, True, False),
    ]:
        f = fg.checkpoint(lambda x: fnp.sum(fnp.sin(x @ (x if stacked else w))), policy=policy)
        assert ("matmul" in names_kept(f, x)) is expected
    for subscripts, expected in [("nij,njk->nik", False), ("nij,mjk->nimk", True)]:
        f = lambda x: fnp.sum(fnp.sin(fnp.einsum(subscripts, x, x)))
        f = fg.checkpoint(f, policy=policies.dots_with_no_batch_dims_saveable)
        assert ("einsum" in names_kept(f, x)) is expected


def test_a_policy_is_asked_about_each_operation_with_kinds_and_parameters():
    asked = []

    def policy(primitive, *kinds, **params):
        asked.append((str(primitive), kinds, params))
        return False

    fg.vjp(fg.checkpoint(lambda x: fnp.sum(fg.checkpoint_name(x * 2.0, "y"), axis=0), policy=policy), np.ones((2, 3)))
    matrix = fg.ShapeDtypeStruct((2, 3), "float64")
    assert [(k, p) for _, k, p in asked[1:]] == [((matrix,), {"name": "y"}), ((matrix,), {"axis": (0,)})]
    assert asked[0][1] == (matrix, fg.ShapeDtypeStruct((), "float64"))


@pytest.mark.parametrize("whole", [fg.named_call, fg.jit, lambda f: fg.jit(fg.named_call(f))])
def test_a_policy_is_asked_about_what_is_inside_of_named_and_compiled_functions(whole):
    layer = whole(lambda x: fnp.sin(x @ x))
    f = fg.checkpoint(lambda x: fnp.sum(fnp.cos(layer(layer(x)))), policy=policies.dots_saveable)
    assert names_kept(f, np.ones((3, 3))) == ["matmul", "matmul", "x"]
    check_grads(f, (0.3 * np.ones((3, 3)),), order=2, rtol=1e-5)


# What is computed again.


@contextmanager
def counting(*names):
    """How often the implementations of primitives are called."""
    counts = dict.fromkeys(names, 0)
    before = {n: registry[n].impl for n in names}

    def counted(name, impl):
        def run(*args, **params):
            counts[name] += 1
            return impl(*args, **params)

        return run

    try:
        for n in names:
            registry[n].impl = counted(n, before[n])
        yield counts
    finally:
        for n in names:
            registry[n].impl = before[n]


@pytest.mark.parametrize(
    "policy, again",
    [
        ("default", {"tanh": 3, "matmul": 3}),
        ("dots", {"tanh": 3, "matmul": 0}),
        ("everything", {"tanh": 0, "matmul": 0}),
        ("some", {"tanh": 3, "matmul": 3}),
    ],
)
def test_how_much_is_computed_again(policy, again):
    """Derivative rules compute on ndarrays, so what is counted in the backward pass is the second run."""
    m = rng.normal(size=(4, 4))

    def f(x):
        for _ in range(3):
            x = fnp.tanh(x @ m)
        return fnp.sum(x)

    _, pullback = fg.vjp(fg.checkpoint(f, policy=POLICIES[policy]), rng.normal(size=4))
    with counting("tanh", "matmul") as counts:
        pullback(1.0)
    assert counts == again


def test_what_nobody_asks_for_is_not_computed_again():
    """The derivative of exp asks for its result, that of sin for its operand, so the last sin is spared."""
    f = fg.checkpoint(lambda x: fnp.sin(fnp.exp(x)) * 3.0)
    _, pullback = fg.vjp(f, 0.5)
    with counting("sin", "exp", "multiply") as counts:
        pullback(1.0)
    assert counts == {"sin": 0, "exp": 1, "multiply": 0}


def test_the_forward_pass_computes_once():
    with counting("sin") as counts:
        fg.vjp(fg.checkpoint(lambda x: fnp.sin(fnp.sin(x))), 0.5)
    assert counts == {"sin": 2}


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_each_level_of_nesting_computes_once_more(depth):
    f = fnp.sin
    for _ in range(depth):
        f = fg.checkpoint(lambda x, f=f: fnp.exp(f(x)))
    _, pullback = fg.vjp(f, 0.5)
    with counting("sin") as counts:
        pullback(1.0)
    assert counts == {"sin": depth}


# Memory.


def peak(n, segment):
    """The largest memory of the gradient of a chain of n layers, in arrays of the size of x."""
    x = fnp.array(np.linspace(0.0, 1.0, 1 << 13))

    def part(x, first):
        for k in range(first, first + segment):
            x = fnp.sin(x * (1.0 + 0.01 * k))
        return x

    def loss(x):
        for first in range(0, n, segment):
            x = fg.checkpoint(part, static_argnums=1)(x, first)
        return fnp.sum(x)

    gradient = fg.grad(loss)
    gradient(x)
    tracemalloc.start()
    gradient(x)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / x.nbytes


def test_memory_of_a_chain_grows_like_its_root():
    small, large = peak(36, 6), peak(144, 12)
    assert large / small < 2.6
    assert small < 20 and large < 40, "two arrays for each of √n operands and layers, and a few more"
