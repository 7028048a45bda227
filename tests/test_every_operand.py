"""Every operand and option of a public function that is a real number: derivatives against differences, or an error.

The functions and their parameters are those of the namespaces (tests/operands.py says what they are called with), so a
new function and a new option are swept, or fail until something is said of them. A derivative that is zero where the
function moves is the fault that this test is here to find: a gradient is never silently zero.
"""

import inspect
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import FuncgradError
from funcgrad.scipy import stats
from funcgrad.scipy.stats.families import Continuous, Discrete, Family

pytestmark = pytest.mark.no_cover

table = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "operands.py")))
distributions = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "distributions.py")))


def functions():
    """Every public function, by name."""
    for space, module in table.NAMESPACES.items():
        for name in getattr(module, "__all__", None) or dir(module):
            f = getattr(module, name)
            if name.startswith("_") or not callable(f) or isinstance(f, type):
                continue
            if space != "initializers" or getattr(f, "func", f).__module__ == module.__name__:
                yield f"{space}.{name}", f


FUNCTIONS = dict(functions())


def real(x):
    """Whether a value has leaves that are real numbers."""
    leaves = fg.tree.leaves(x)
    return (
        bool(leaves)
        and all(isinstance(v, float | np.ndarray | fg.Array | int) for v in leaves)
        and any(_floating(v) for v in leaves)
    )


def _floating(v):
    return isinstance(v, float) or (not isinstance(v, int) and v.dtype.kind == "f")


def calls(name, f):
    """The sample calls of a function, as (positional, by name)."""
    if name in table.SAMPLES:
        return table.SAMPLES[name]
    args = []
    for p in inspect.signature(f).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            if p.kind is p.VAR_POSITIONAL:
                args += [table.A, table.B]
        elif p.default is p.empty:
            if p.name not in table.REQUIRED:
                return []
            args.append(table.REQUIRED[p.name])
    return [table.call(*args)]


def places(f, args, kwargs):
    """For each argument with real numbers its place in the call and the name of its parameter."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    by_position = []
    for p in inspect.signature(f).parameters.values():
        if (
            p.name in bound.arguments
            and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            and p.name not in kwargs
        ):
            by_position.append(p.name)
        elif p.kind is p.VAR_POSITIONAL:
            by_position += [p.name] * len(bound.arguments.get(p.name, ()))
    for i, a in enumerate(args):
        if real(a):
            yield i, by_position[i]
    for k, a in kwargs.items():
        if real(a):
            yield k, k


CASES = [
    pytest.param(name, args, kwargs, place, parameter, id=f"{name}-{k}-{parameter}-{place}")
    for name, f in FUNCTIONS.items()
    if name not in table.WITHOUT_OPERANDS
    for k, (args, kwargs) in enumerate(calls(name, f))
    for place, parameter in places(f, args, kwargs)
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_swept_or_stated(name):
    f = FUNCTIONS[name]
    if name in table.WITHOUT_OPERANDS:
        return
    assert calls(name, f), f"{name} has no sample, and no value is known for one of its parameters"
    swept = {p for args, kwargs in calls(name, f) for _, p in places(f, args, kwargs)}
    parameters = inspect.signature(f).parameters
    kwargs = next((p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD), None)
    for p in parameters:
        stated = p in table.SETTINGS or f"{name}.{p}" in table.NOT_REAL or p == kwargs
        given = [
            v for a, k in calls(name, f) for q, v in inspect.signature(f).bind(*a, **k).arguments.items() if q == p
        ]
        functions = given and all(callable(v) for v in given)
        assert p in swept or stated or functions, f"{name}: nothing is known of {p}"


def test_statements_are_of_functions_that_exist():
    assert set(table.SAMPLES) | set(table.WITHOUT_OPERANDS) <= set(FUNCTIONS)
    for key in (*table.NOT_REAL, *table.REFUSED, *table.ZERO):
        assert key.rpartition(".")[0] in FUNCTIONS or key.rpartition(".")[0].startswith("stats."), key


def fresh(x):
    """A copy of an array, for functions that write into what they are given."""
    return x.copy() if isinstance(x, np.ndarray) else x


def as_scalar(f, args, kwargs, place):
    """A function of the numbers in one place of a call: a combination of the parts of all its results."""

    def of(x):
        a, k = fg.tree.map(fresh, (list(args), dict(kwargs)))
        if isinstance(place, int):
            a[place] = x
        else:
            k[place] = x
        total, n = 0.0, 0
        out = f(*a, **k)
        if callable(out):  # an initializer
            out = out(table.KEY, (3, 2))
        if hasattr(out, "_asdict") or not isinstance(out, list | tuple | dict | np.ndarray | fg.Array):
            out = getattr(out, "x", out)
        for leaf in fg.tree.leaves(out):
            kind = getattr(leaf, "dtype", np.dtype(int)).kind
            for part in (leaf.real, leaf.imag) if kind == "c" else (leaf,) if kind == "f" else ():
                n += 1
                total = total + fnp.sum(part * np.cos(n + np.arange(part.size)).reshape(part.shape))
        return total if n else None

    return of


def check(name, parameter, f, x):
    """The derivative of f in grad, jvp and jit against differences, or an error that says why there is none."""
    with np.errstate(all="ignore"):
        x = fg.tree.map(fresh, x)
        if f(x) is None:
            return  # integers and booleans only
        leaves, tree = fg.tree.flatten(x)
        rng = np.random.default_rng(0)
        moves = [rng.uniform(0.5, 1, np.shape(v)) if _floating(v) else None for v in leaves]

        def at(h):
            return float(f(tree.unflatten([v if m is None else v + h * m for v, m in zip(leaves, moves, strict=True)])))

        h = 2e-5
        expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        floats = [v for v, m in zip(leaves, moves, strict=True) if m is not None]
        tangents = [
            m if np.ndim(v) else float(m) for v, m in zip(floats, [m for m in moves if m is not None], strict=True)
        ]

        def of_floats(vs):
            vs = iter(vs)
            return f(tree.unflatten([v if m is None else next(vs) for v, m in zip(leaves, moves, strict=True)]))

        key, found, refused = f"{name}.{parameter}", {}, {}
        for way, derivative in (
            ("grad", lambda: fg.grad(of_floats)(floats)),
            ("jvp", lambda: fg.jvp(of_floats, (floats,), (tangents,))[1]),
            ("jit", lambda: fg.jit(fg.grad(of_floats))(floats)),
        ):
            try:
                d = derivative()
            except FuncgradError as e:
                refused[way] = f"{type(e).__name__}: {e}"
                continue
            found[way] = (
                float(d)
                if way == "jvp"
                else float(sum(np.sum(np.asarray(a) * m) for a, m in zip(d, tangents, strict=True)))
            )
        assert ("grad" in refused) == (key in table.REFUSED), f"{key}: {refused or 'has a derivative now'}"
        size = abs(expected) + 1e-3 * abs(at(0.0)) + 1e-3
        for way, value in found.items():
            if key in table.ZERO:
                assert value == 0
            elif key.removeprefix("random.") in table.QUANTILES:
                assert value != 0 and np.isfinite(value)
            else:
                assert abs(value - expected) <= 1e-5 * size, f"{key}: {way} gives {value}, differences {expected}"


@pytest.mark.parametrize("name, args, kwargs, place, parameter", CASES)
def test_derivative(name, args, kwargs, place, parameter):
    x = args[place] if isinstance(place, int) else kwargs[place]
    check(name, parameter, as_scalar(FUNCTIONS[name], args, kwargs, place), x)


def test_what_the_sweep_is_to_find():
    """A silent zero, in one operand of two and in an option, a wrong derivative, and an error that nobody expects."""
    half = fg.custom_jvp(lambda x, s=0.4: x * x * s)
    half.defjvp(lambda primals, tangents: (half(*primals), 3 * primals[0] * primals[1] * tangents[0]))
    for f, text in (
        (lambda x: fg.stop_gradient(x) * 2, "grad gives 0.0, differences"),
        (lambda x: x + fg.stop_gradient(x) ** 2, "grad gives"),
        (lambda x: half(x, 0.4), "grad gives"),
        (lambda x: x * float(x), "LostTraceError"),
    ):
        with pytest.raises(AssertionError, match=text):
            check("lax.add", "x", f, 0.7)
    check("lax.add", "x", lambda x: x * x, 0.7)


# Distributions are objects: every method, by the point and by every parameter.

METHODS = [
    pytest.param(name, d, m, k, id=f"{name}-{m}-{k}", marks=[pytest.mark.slow] if m in distributions.MIRRORED else [])
    for name, d in vars(stats).items()
    if isinstance(d, Family)
    for m, f in inspect.getmembers(d, inspect.ismethod)
    if not m.startswith("_") and m != "parameters"
    for k in range(1 + len(d.shapes) + len(d.placed))
]


@pytest.mark.parametrize("name, d, method, k", METHODS)
def test_derivative_of_a_distribution(name, d, method, k):
    assert isinstance(d, Continuous | Discrete)
    shapes = distributions.SHAPES[name][0]
    point = distributions.POINTS.get(name, 0.35 if isinstance(d, Continuous) else 1.0)
    point = 0.35 if method in ("ppf", "isf") else point
    args = [point, *shapes, *([0.05, 0.9] if isinstance(d, Continuous) else [0.0])]
    f = getattr(d, method)
    parameter = ("point", *d.shapes, *d.placed)[k]
    if method == "entropy":
        if d._entropy is None or k == 0:
            return
        args, k = args[1:], k - 1
    if parameter in distributions.COUNTS or (isinstance(d, Discrete) and parameter in ("point", "loc")):
        return  # of integers
    check(f"stats.{name}.{method}", parameter, as_scalar(f, args, {}, k), args[k])
