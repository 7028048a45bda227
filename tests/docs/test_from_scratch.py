"""The small library of docs/from-scratch.md, taken off the page, holds against funcgrad and against differences.

test_docs.py runs the page from top to bottom. Here only its library is executed, the code without a prompt, and used
in ways that the page does not show.
"""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import funcgrad as fg

PAGE = Path(__file__).parents[2] / "docs" / "from-scratch.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
SOURCE = "\n".join(b for b in BLOCKS if ">>> " not in b)


def load():
    names = {"__name__": "scratch"}
    exec(compile(SOURCE, str(PAGE), "exec"), names)
    return SimpleNamespace(**names)


scratch = load()
ELEMENTWISE = [p for p in vars(scratch).values() if isinstance(p, scratch.Primitive) and len(p.jvp) and p.vjp is p.jvp]


def draw(*shape):
    return np.random.default_rng(0).uniform(0.5, 2.0, shape)


def differences(f, x, t, step=1e-6):
    return (f(x + step * t) - f(x - step * t)) / (2 * step)


def test_it_is_small_and_needs_numpy_alone():
    lines = [line for line in SOURCE.splitlines() if line.strip()]
    assert 250 <= len(lines) <= 350, "the page speaks of some three hundred lines"
    modules = set()
    for node in ast.walk(ast.parse(SOURCE)):
        if isinstance(node, ast.Import):
            modules |= {a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module.partition(".")[0])
    assert modules == {"numpy", "collections", "dataclasses", "functools", "itertools", "operator"}


# Each record


def test_there_are_records_to_test():
    assert {"sin", "add", "power", "greater"} <= {p.name for p in ELEMENTWISE}


@pytest.mark.parametrize("p", ELEMENTWISE, ids=lambda p: p.name)
@pytest.mark.parametrize("shapes", [((), ()), ((3,), ()), ((2, 1), (3,)), ((1,), (2, 3))], ids=str)
def test_elementwise_record(p, shapes):
    xs = [draw(*s) + 0.1 * k for k, s in enumerate(shapes[: len(p.vjp)])]
    for k, x in enumerate(xs):

        def f(x, k=k):
            return p(*xs[:k], x, *xs[k + 1 :])

        t = np.cos(np.arange(x.size)).reshape(x.shape)
        out, pushed = scratch.jvp(f, (x,), (t,))
        np.testing.assert_array_equal(out, p.impl(*xs))
        np.testing.assert_allclose(pushed, differences(lambda x, f=f: f(x) * 1.0, x, t), rtol=1e-6, atol=1e-8)
        g = np.sin(1 + np.arange(out.size)).reshape(out.shape)
        [pulled] = scratch.vjp(f, x)[1](g)
        assert pulled.shape == x.shape
        np.testing.assert_allclose(np.sum(g * pushed), np.sum(pulled * t), rtol=1e-12, atol=1e-14)
        batch = np.stack([x, x + 0.5, x / 2])
        np.testing.assert_allclose(scratch.vmap(f)(batch), np.stack([f(b) for b in batch]), rtol=1e-14)


LINEAR = {
    "sum": lambda x: np.sum(x),
    "sum axis": lambda x: np.sum(x, 0),
    "sum axes": lambda x: np.sum(x, axis=(-1, 0)),
    "expand": lambda x: np.expand_dims(x, 1),
    "expand two": lambda x: np.expand_dims(x, (0, -1)),
    "broadcast": lambda x: np.broadcast_to(x, (4, 2, 3)),
    "matrix times vector": lambda x: x @ draw(3),
    "vector times matrix": lambda x: draw(2) @ x,
    "matrix times matrix": lambda x: x @ draw(3, 4),
}


@pytest.mark.parametrize("f", LINEAR.values(), ids=LINEAR)
def test_linear_operation(f):
    x, t = draw(2, 3), draw(2, 3) - 1.0
    out, pushed = scratch.jvp(f, (x,), (t,))
    np.testing.assert_allclose(out, f(x), rtol=1e-14)
    np.testing.assert_allclose(pushed, f(t), rtol=1e-14)
    g = np.sin(1 + np.arange(out.size)).reshape(out.shape)
    [pulled] = scratch.vjp(f, x)[1](g)
    np.testing.assert_allclose(np.sum(g * pushed), np.sum(pulled * t), rtol=1e-12)
    batch = np.stack([x, t, x * t])
    np.testing.assert_allclose(scratch.vmap(f)(batch), np.stack([f(b) for b in batch]), rtol=1e-14)
    np.testing.assert_allclose(scratch.make_tape(f)(x)(t), f(t), rtol=1e-14)


# Stacks of transforms: each is written once, for both libraries

X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])


def loss(w):
    return np.sum((np.tanh(X @ w) - 0.5) ** 2) / np.exp(w @ w) - 3 * np.sum(np.cos(w)) * np.sum(w)


def vector(w):
    return np.sin(w) * np.sum(np.exp(w)) + X[0] / (2 + w)


PAIR = np.array([[1.0], [-0.5]])
STACKS = {
    "grad": lambda m, w, t: m.grad(loss)(w),
    "jvp of grad": lambda m, w, t: m.jvp(m.grad(loss), (w,), (t,))[1],
    "grad of jvp": lambda m, w, t: m.grad(lambda w: m.jvp(loss, (w,), (t,))[1])(w),
    "jvp of jvp": lambda m, w, t: m.jvp(lambda w: m.jvp(loss, (w,), (t,))[1], (w,), (t,))[1],
    "third derivative": lambda m, w, t: m.grad(lambda w: m.jvp(m.grad(loss), (w,), (t,))[1] @ t)(w),
    "vjp of vjp": lambda m, w, t: m.vjp(lambda w: m.vjp(vector, w)[1](t)[0], w)[1](t)[0],
    "pullback differentiated": lambda m, w, t: m.jvp(lambda g: m.vjp(vector, w)[1](g)[0], (t,), (w,))[1],
    "vmap of grad": lambda m, w, t: m.vmap(m.grad(loss))(PAIR * w),
    "grad of vmap": lambda m, w, t: m.grad(lambda w: np.sum(m.vmap(lambda c: loss(w * c))(PAIR * w)))(w),
    "vmap of vmap": lambda m, w, t: m.vmap(lambda a: m.vmap(lambda b: a * np.sum(b))(X))(w),
    "vmap of hvp": lambda m, w, t: m.vmap(lambda t: m.jvp(m.grad(loss), (w,), (t,))[1])(X),
    "tracers of two levels": lambda m, w, t: m.grad(lambda a: np.sum(a * m.grad(lambda b: np.sum(np.sin(a * b)))(t)))(
        w
    ),
    "constant inside": lambda m, w, t: m.grad(lambda a: a @ m.grad(lambda b: b @ b)(t))(w),
    "independent": lambda m, w, t: m.grad(lambda a: np.sum(m.vmap(lambda b: a)(X)))(w),
}


@pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS)
def test_stack_of_transforms(stack):
    w, t = np.array([0.3, -0.7]), np.array([1.0, 0.5])
    expected = np.asarray(stack(fg, w, t))
    np.testing.assert_allclose(stack(scratch, w, t), expected, rtol=1e-11)
    compiled = scratch.jit(lambda w, t: stack(scratch, w, t))
    np.testing.assert_allclose(compiled(w, t), expected, rtol=1e-11)
    np.testing.assert_allclose(compiled(w, t), expected, rtol=1e-11)  # by the program of the first call
    batch = scratch.vmap(compiled)(np.stack([w, w]), np.stack([t, t]))
    np.testing.assert_allclose(batch, np.stack([expected, expected]), rtol=1e-11)


def test_jit_compiles_for_the_shapes_it_is_called_with():
    f = scratch.jit(lambda x: x / np.sum(np.ones(x.shape)))
    np.testing.assert_array_equal(f(np.ones(2)), [0.5, 0.5])
    np.testing.assert_array_equal(f(np.ones(4)), [0.25] * 4)


def test_derivative_of_a_compiled_function_uses_the_rules_of_its_primitives():
    def cut_off(x):
        return np.array(max(float(x), 1.0))  # not a program of known operations

    p = scratch.elementwise(cut_off, lambda g, x: g * (x > 1.0))
    f = scratch.jit(lambda x: 3.0 * p(x))
    assert [float(f(x)) for x in (0.5, 2.0)] == [3.0, 6.0]
    assert [float(scratch.grad(f)(x)) for x in (0.5, 2.0)] == [0.0, 3.0]


def test_jacobian_has_the_columns_of_forward_mode():
    w = np.array([0.3, -0.7])
    columns = [differences(vector, w, e) for e in np.eye(2)]
    np.testing.assert_allclose(scratch.jacobian(vector)(w), np.stack(columns, axis=1), rtol=1e-7)


@pytest.mark.parametrize("f", [lambda x: 2.0, lambda x: np.ones(3), lambda x: x, lambda x: x > 0], ids=range(4))
def test_results_that_no_operation_made(f):
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(scratch.vmap(f)(x), np.stack([f(e) for e in x]))
    np.testing.assert_array_equal(scratch.make_tape(f)(x)(x), f(x))
    np.testing.assert_array_equal(scratch.jit(f)(x), f(x))
    out, pushed = scratch.jvp(f, (x,), (x,))
    np.testing.assert_array_equal(pushed, x if f(x) is x else np.zeros(np.shape(f(x))))
    [pulled] = scratch.vjp(f, x)[1](np.ones(out.shape))
    np.testing.assert_array_equal(pulled, np.ones(3) if f(x) is x else np.zeros(3))


def test_what_the_result_does_not_need_is_freed_and_what_rules_do_not_name_is_not_kept():
    def f(x):
        _ = np.exp(x)
        return np.sum(x + 1.0) * 2.0

    _, _, output = scratch.record(f, np.ones(3))
    kept = {e.primitive.name: set(e.residuals) for e in scratch.reachable(output) if e.primitive}
    assert kept == {"add": set(), "sum": {"axis"}, "multiply": {"y"}}


# Nothing that it cannot do gives a number


def leak(transform):
    kept = []
    transform(lambda x: kept.append(x) or x)(1.0)
    return kept[0]


def add_into(x):
    buffer = np.zeros(())
    buffer += x
    return buffer


def namesakes(m):
    """A program of two primitives that both call themselves f."""

    def f(x):
        return x + 1.0

    first = m.elementwise(f, lambda g: g)

    def f(x):
        return x * 3.0

    second = m.elementwise(f, lambda g: 3.0 * g)
    return m.jit(lambda x: first(x) - second(x))(1.0)


TWO, THREE = np.ones(2), np.ones(3)
REFUSED = {
    "float": (TypeError, "no plain number", lambda m: m.grad(lambda x: float(x) * x)(1.0)),
    "if in a batch": (TypeError, "no plain number", lambda m: m.vmap(lambda x: x if x > 0 else -x)(TWO)),
    "if in a tape": (TypeError, "no plain number", lambda m: m.make_tape(lambda x: x if x > 0 else -x)(1.0)),
    "an array of tracers": (TypeError, "no plain number", lambda m: m.grad(lambda x: np.sum(np.array([x, x])))(1.0)),
    "writing into a buffer": (TypeError, "NotImplemented", lambda m: m.grad(add_into)(1.0)),
    "an unknown function": (TypeError, "no implementation", lambda m: m.grad(lambda x: np.sum(np.sort(x)))(THREE)),
    "a method of a ufunc": (TypeError, "NotImplemented", lambda m: m.grad(np.add.reduce)(THREE)),
    "a tracer that outlived": (RuntimeError, "after its transform", lambda m: leak(m.grad) * 2.0),
    "an old tracer among new": (RuntimeError, "after its transform", lambda m: m.grad(lambda x: x * leak(m.grad))(1.0)),
    "grad of a vector": (ValueError, r"expected shape \(3,\)", lambda m: m.grad(lambda x: x)(THREE)),
    "tangent of a wrong shape": (ValueError, "expected shape", lambda m: m.jvp(np.sin, (THREE,), (1.0,))),
    "cotangent of a wrong shape": (ValueError, "expected shape", lambda m: m.vjp(np.sin, THREE)[1](1.0)),
    "batches of two sizes": (ValueError, "unpack", lambda m: m.vmap(np.add)(TWO, THREE)),
    "matrices that do not fit": (ValueError, "do not fit", lambda m: m.grad(lambda x: np.sum(X @ x))(np.ones(1))),
    "jit of a closure": (TypeError, "uses a tracer", lambda m: m.grad(lambda x: m.jit(lambda y: x * y)(2.0))(1.0)),
    "two primitives of one name": (NameError, "two primitives are called f", namesakes),
    "a rule too few": (ValueError, "zip", lambda m: m.grad(m.elementwise(np.hypot, lambda g: g))(1.0, 2.0)),
    "a tangent too few": (ValueError, "zip", lambda m: m.jvp(np.add, (TWO, TWO), (TWO,))),
    "another axis": (ValueError, "takes 0 and None", lambda m: m.vmap(np.add, in_axes=(0, 1))(TWO, X.T)),
    "an axis too few": (ValueError, "zip", lambda m: m.vmap(np.add, in_axes=(0,))(TWO, TWO)),
    "a wrong axis": (np.exceptions.AxisError, "out of bounds", lambda m: m.grad(lambda x: np.sum(x, 1))(THREE)),
}


@pytest.mark.parametrize("error, text, call", REFUSED.values(), ids=REFUSED)
def test_refused(error, text, call):
    with pytest.raises(error, match=text):
        call(scratch)
    assert scratch.Trace.depth == 0  # no trace is left running
