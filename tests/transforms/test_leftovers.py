"""Residuals die with the last reference: every transform around every other, after success and after an exception.

Nothing waits for the collector, which is off, and nothing but the programs of a function that lives is kept.
"""

import pathlib
import runpy
import types

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.custom_derivatives import linear_call
from funcgrad.errors import CustomRuleError

leftovers = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "leftovers.py"))["leftovers"]
X = np.linspace(0.1, 1.0, 5)


class Stop(Exception):
    pass


def value():
    return lambda x: fnp.sin(x) * x


def stopping():
    def f(x):
        y = fnp.sin(x) * x
        raise Stop(y.shape)

    return f


def with_vjp(f):
    g = fg.custom_vjp(f)
    g.defvjp(lambda x: (f(x), x), lambda x, ct: fg.vjp(f, x)[1](ct))
    return g


def with_jvp(f):
    g = fg.custom_jvp(f)
    g.defjvp(lambda primals, tangents: fg.jvp(f, primals, tangents))
    return g


def with_jvps(f):
    g = fg.custom_jvp(f)
    g.defjvps(lambda t, out, x: fg.jvp(f, (x,), (t,))[1])
    return g


def with_pullback(f):
    return fg.custom_gradient(lambda x: (f(x), lambda ct: ct * fnp.cos(x)))


def converted(f):
    def call(x):
        g, constants = fg.closure_convert(lambda y: f(y) * x, x)
        return g(x, *constants)

    return call


def root(f):
    def newton(h, y):
        for _ in range(3):
            y = y - h(y) / (3 * y**2)
        return y

    return lambda x: lax.custom_root(
        lambda y: y**3 - x - 0.0 * f(x), fnp.ones_like(x), newton, lambda g, y: y / g(fnp.ones_like(y))
    )


def solution(f):
    return lambda x: lax.custom_linear_solve(
        lambda v: v * (2 + f(x) ** 2), x, lambda matvec, b: b / matvec(fnp.ones_like(b)), symmetric=True
    )


def called_back(f):
    kind = fg.ShapeDtypeStruct((5,), float)
    return lambda x: f(x) + fg.pure_callback(np.sin, kind, lax.stop_gradient(x), vmap_method="sequential")


def named(f):
    policy = fg.checkpoint_policies.save_only_these_names("kept")
    return fg.checkpoint(lambda x: fg.checkpoint_name(f(x), "kept"), policy=policy)


def policed(policy):
    return lambda f: fg.checkpoint(f, policy=policy)


policies = fg.checkpoint_policies
TRANSFORMS = {
    "itself": lambda f: f,
    "grad": lambda f: fg.grad(lambda x: f(x).sum()),
    "value_and_grad": lambda f: lambda x: fg.value_and_grad(lambda x: f(x).sum())(x)[1],
    "vjp": lambda f: lambda x: fg.vjp(f, x)[1](x)[0],
    "jvp": lambda f: lambda x: fg.jvp(f, (x,), (x,))[1],
    "linearize": lambda f: lambda x: fg.linearize(f, x)[1](x),
    "linear_transpose": lambda f: lambda x: fg.linear_transpose(lambda v: v * f(x), x)(x)[0],
    "jacfwd": lambda f: lambda x: fg.jacfwd(f)(x).sum(0),
    "jacrev": lambda f: lambda x: fg.jacrev(f)(x).sum(0),
    "hessian": lambda f: lambda x: fg.hessian(lambda x: f(x).sum())(x).sum(0),
    "vmap": lambda f: lambda x: fg.vmap(lambda a: f(a * x))(x).sum(0),
    "vmap of a named axis": lambda f: lambda x: fg.vmap(lambda a: lax.psum(f(a * x), "i"), axis_name="i")(x).sum(0),
    "jit": fg.jit,
    "make_tape": lambda f: lambda x: fg.make_tape(f)(x)(x),
    "eval_shape": lambda f: lambda x: f(x) + fnp.ones(fg.eval_shape(f, x).shape),
    "checkpoint": fg.checkpoint,
    "checkpoint of everything": policed(policies.everything_saveable),
    "checkpoint of products": policed(policies.dots_saveable),
    "checkpoint of names": named,
    "custom_vjp": with_vjp,
    "custom_jvp": with_jvp,
    "custom_jvp by arguments": with_jvps,
    "custom_gradient": with_pullback,
    "closure_convert": converted,
    "linear_call": lambda f: lambda x: linear_call(lambda r, v: v * 2 * r, lambda r, v: v * 2 * r, x, f(x)),
    "custom_root": root,
    "custom_linear_solve": solution,
    "cond": lambda f: lambda x: lax.cond(x[0] > 0, f, lambda x: x, x),
    "switch": lambda f: lambda x: lax.switch(1, [lambda x: x, f], x),
    "while_loop": lambda f: lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, f(c[1])), (0, x))[1],
    "fori_loop": lambda f: lambda x: lax.fori_loop(0, 3, lambda i, c: f(c), x),
    "scan": lambda f: lambda x: lax.scan(lambda c, _: (f(c), c), x, None, length=3)[0],
    "map": lambda f: lambda x: lax.map(lambda a: f(a * x), x).sum(0),
    "associative_scan": lambda f: lambda x: f(lax.associative_scan(fnp.add, x)),
    "pure_callback": called_back,
    "named_call": fg.named_call,
    "stop_gradient": lambda f: lambda x: f(x) + lax.stop_gradient(f(x)),
}
FEW = ["grad", "jit"]
"""The outer transforms of the plain run."""

pairs = pytest.mark.parametrize(
    "outer", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in TRANSFORMS]
)


@pairs
@pytest.mark.parametrize("inner", TRANSFORMS)
@pytest.mark.parametrize("make", [value, stopping], ids=["value", "exception"])
def test_nothing_is_left(outer, inner, make):
    expected = (Stop, CustomRuleError)  # the second from custom_vjp in forward mode
    cycles, arrays = leftovers(lambda: TRANSFORMS[outer](TRANSFORMS[inner](make()))(X), expected)
    assert not cycles
    assert arrays == 0


def test_leftovers_are_found():
    def cyclic():
        x = [np.zeros(100)]
        x.append(x)

    kept = []
    assert leftovers(cyclic) == ({"list": 1}, 800)
    assert leftovers(lambda: kept.append(np.zeros(100))) == ({}, 800)


def test_a_rule_that_keeps_nothing_keeps_no_argument_alive():
    f = fg.custom_vjp(lambda x: 2.0 * x)
    f.defvjp(lambda x: (2.0 * x, None), lambda _, g: (2.0 * g,))

    def kept(pullback):
        return pullback.tape.residual_bytes

    def chain(x):
        for _ in range(10):
            x = f(x)
        return x

    pullbacks = []
    assert leftovers(lambda: pullbacks.append(fg.vjp(chain, np.ones(1000))[1]))[1] < 1000 * 8
    assert kept(pullbacks[0]) == 0


def nested(code):
    """The functions that are made in a function, and those in these."""
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield c
            yield from nested(c)


def test_no_function_refers_to_itself_through_its_closure():
    found = []
    for path in pathlib.Path(fg.__file__).parent.rglob("*.py"):
        module = compile(path.read_text(), str(path), "exec")
        for outer in [module, *nested(module)]:
            cells = set(outer.co_cellvars)
            made = {c.co_name: cells.intersection(c.co_freevars) for c in outer.co_consts if type(c) is types.CodeType}
            reached = dict(made)
            for _ in made:
                reached = {name: names.union(*[made.get(n, ()) for n in names]) for name, names in reached.items()}
            found += [(path.name, name) for name, names in reached.items() if name in names]
    assert not found
