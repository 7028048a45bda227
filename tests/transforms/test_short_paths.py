"""The short paths of reverse mode do what the general ones do, option by option: values, types, warnings, errors.

`general` switches them off: traces record by `general`, operators ask `bind`, plans check everything and call the rules
as they are written, arguments are flattened, copied and chosen in the longest way, and the walk takes one equation at a
time.
"""

import re
import warnings
from collections import namedtuple

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core import rules, tree
from funcgrad.core.array import Array
from funcgrad.core.plan import Plans
from funcgrad.core.primitive import registry
from funcgrad.core.rules import make_plan
from funcgrad.core.trace import bind
from funcgrad.ops import contract, elementwise
from funcgrad.transforms import argnums, arguments, grad, loans, vjp
from funcgrad.transforms.vjp import VjpTrace

OPERATORS = {
    "add": elementwise.add,
    "sub": elementwise.subtract,
    "mul": elementwise.multiply,
    "truediv": elementwise.divide,
    "matmul": contract.matmul,
}


def plans_as_written(p):
    """The plans of a primitive whose rules are called, and whose cotangents are always fitted to the operands."""

    def make(mask):
        plan = make_plan(p, mask)
        if plan is not None:
            plan.trusted = None
        return plan

    return Plans(make)


def asking_bind(p, method, turned):
    """An operator that asks `bind` for whatever is an array."""

    def operator(x, y):
        if not isinstance(y, Array | np.ndarray | np.generic | float | int):
            return method(x, y)
        return bind(p, (y, x) if turned else (x, y), {})

    return operator


def flatten(x, is_leaf=None):
    """`tree.flatten` by the general loop."""
    return LONG_FLATTEN(x, is_leaf or (lambda _: False))


def input_values(args, name, numbers=None, refuse=None, keep_weak=False, loans=None):
    """`input_values` that asks `input_value` about each leaf."""
    leaves, in_tree = flatten(args)
    values = [arguments.input_value(x, lambda: name) for x in leaves]
    if any(refuse is not None and refuse(x, v.dtype) for x, v in zip(leaves, values, strict=True)):
        return LONG_INPUT_VALUES(args, name, numbers, refuse)  # for the message
    return values, in_tree


def chosen_arguments(f, numbers, args, kwargs, name):
    """`chosen_arguments` with one more argument that is not chosen."""
    if not all(-len(args) <= n < len(args) for n in numbers) or len({n % len(args) for n in numbers}) < len(numbers):
        return LONG_CHOSEN(f, numbers, args, kwargs, name)  # for the message
    numbers = tuple([n % len(args) for n in numbers])
    return LONG_CHOSEN(lambda *xs, **words: f(*xs[:-1], **words), numbers, (*args, None), kwargs, name)


def walk(equations, cotangents, release=False):
    """The walk, one equation at a time."""
    for e in equations:
        ONE_WALK((e,), cotangents, release)


LONG_FLATTEN, LONG_INPUT_VALUES, LONG_CHOSEN, ONE_WALK = (
    tree.flatten,
    arguments.input_values,
    argnums.chosen_arguments,
    vjp.walk,
)


@pytest.fixture
def general(monkeypatch):
    """A function that switches the short paths off."""

    def switch():
        monkeypatch.setattr(rules, "_WRITTEN_OUT", {})
        for p in registry.values():
            monkeypatch.setattr(p, "plans", plans_as_written(p))
            monkeypatch.setattr(p, "infix", p.impl)
        for name, p in OPERATORS.items():
            for method, turned in ((f"__{name}__", False), (f"__r{name}__", True)):
                monkeypatch.setattr(Array, method, asking_bind(p, getattr(Array, method), turned))
        monkeypatch.setattr(VjpTrace, "unary", lambda self, p, x, params=None: self.general(p, (x,), params or {}))
        monkeypatch.setattr(VjpTrace, "binary", lambda self, p, x, y: self.general(p, (x, y), {}))
        monkeypatch.setattr(vjp, "walk", walk)
        monkeypatch.setattr(tree, "flatten", flatten)
        monkeypatch.setattr(grad, "input_values", input_values)
        monkeypatch.setattr(grad, "chosen_arguments", chosen_arguments)
        monkeypatch.setattr(loans, "LARGE", 1 << 60)

    return switch


def outcome(run):
    """What a call gives and its structure, or its error; and what it warned of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = LONG_FLATTEN(run())
        except (ArithmeticError, TypeError, ValueError, RuntimeError) as error:
            found = type(error), re.sub("called at .*", "", str(error))  # the operators of `general` are in this file
    return found, {(w.category, str(w.message).replace("scalar ", "")) for w in said}


def agree(short, general):
    """The same leaves, but for the order in which cotangents are added up; the same error, the same warnings."""
    (found, structure), said = short
    (expected, its_structure), also_said = general
    assert (structure, said) == (its_structure, also_said)
    if isinstance(found, type):
        assert found is expected
        return
    for x, y in zip(found, expected, strict=True):
        assert type(x) is type(y)
        x, y = (np.asarray(v) if isinstance(v, Array) else v for v in (x, y))
        if not isinstance(x, np.ndarray | np.generic) or x.dtype.kind == "V":
            assert x == y if not hasattr(x, "dtype") else x.dtype == y.dtype
            continue
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        rtol = 0 if x.dtype.kind in "biu" else 8 * np.finfo(x.dtype).eps
        np.testing.assert_allclose(x, y, rtol)
        if x.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(x)[x == 0], np.signbit(y)[y == 0])


def scalars(x, y):
    for _ in range(3):
        x, y = fnp.sin(x) * 1.5 + y * x, y / (2 - x * x) - fnp.cos(y)
    return x * y + 0.5


def arrays(x, y):
    a, b = x[:-1], x[1:]
    z = fnp.tanh(fnp.sqrt(fnp.abs(b - a * a)) + 3 * y + CONSTANT[:2]) / fnp.exp(-x[0])
    return fnp.sum((z @ z) * fnp.log(1 + x * x) + fnp.max(x) * x) - fnp.mean(-y)


def layers(w, x):
    h = x
    for a, b in w:
        h = fnp.tanh(h @ a + b)
    return fnp.sum(h**2) + fnp.sum(w[0][0] * MATRIX) + fnp.sum(fnp.where(h > 0, h, 0.1 * h))


Pair = namedtuple("Pair", "left right")
CONSTANT, MATRIX = np.array([0.3, -1.2, 0.7]), np.arange(9.0).reshape(3, 3)
X, Y = np.array([0.5, -0.2, 1.1]), np.array([0.3, 0.9])
WEIGHTS = [(MATRIX / 9, X), (MATRIX.T / 7, 0.1)]
LARGE = np.linspace(0.1, 2.0, 2 * loans.LARGE // 8)


def with_aux(x, y):
    return scalars(x, y), {"x": x, "twice": 2 * y, "other": [None, "text", CONSTANT, x > y]}


def of_pytrees(p, q):
    return p["a"] * p["b"][0] + fnp.sum(q.left * q.right) * p["b"][1]


def nothing_used(x, y):
    return fnp.sum(x * 0 + 1.0)


def complex_values(x, y):
    return (x * y + 1j * fnp.sin(x)) ** 2 / y


OPTIONS = {
    "scalars": (scalars, (0.3, 0.4), {}),
    "both": (scalars, (0.3, 0.4), {"argnums": (0, 1)}),
    "in another order": (scalars, (0.3, 0.4), {"argnums": (1, 0)}),
    "the last": (scalars, (0.3, 0.4), {"argnums": -1}),
    "none such": (scalars, (0.3, 0.4), {"argnums": 2}),
    "twice": (scalars, (0.3, 0.4), {"argnums": (0, -2)}),
    "zero axes": (scalars, (np.array(0.3), np.array(0.4)), {"argnums": (0, 1)}),
    "single precision": (scalars, (np.float32(0.3), np.float32(0.4)), {"argnums": (0, 1)}),
    "single and double precision": (scalars, (np.float32(0.3), np.array(0.4)), {"argnums": (0, 1)}),
    "half precision": (scalars, (np.float16(0.3), 0.4), {"argnums": (0, 1)}),
    "Arrays": (scalars, (fg.Array(0.3), fg.Array(np.float32(0.4))), {"argnums": (0, 1)}),
    "an integer": (scalars, (3, 0.4), {}),
    "an integer that is allowed": (scalars, (3, 0.4), {"argnums": (0, 1), "allow_int": True}),
    "a bool": (scalars, (True, 0.4), {}),
    "complex, holomorphic": (complex_values, (0.3 + 1j, 0.4 - 2j), {"argnums": (0, 1), "holomorphic": True}),
    "complex, not holomorphic": (complex_values, (0.3 + 1j, 0.4 - 2j), {}),
    "real of complex": (lambda x, y: fnp.abs(complex_values(x, y)), (0.3 + 1j, np.complex64(0.4)), {"argnums": (0, 1)}),
    "aux": (with_aux, (0.3, np.float32(0.4)), {"has_aux": True, "argnums": (0, 1)}),
    "aux that is none": (scalars, (0.3, 0.4), {"has_aux": True}),
    "arrays": (arrays, (X, Y), {"argnums": (0, 1)}),
    "arrays of single precision": (arrays, (X.astype("f"), Y.astype("f")), {"argnums": (0, 1)}),
    "arrays of both precisions": (arrays, (X.astype("f"), Y), {"argnums": (0, 1)}),
    "arrays of the other byte order": (arrays, (X.astype(">f8"), Y), {"argnums": (0, 1)}),
    "arrays in steps": (arrays, (np.repeat(X, 2)[::2], Y[::-1]), {"argnums": (0, 1)}),
    "stretched arrays": (arrays, (np.broadcast_to(0.7, 3), Y), {"argnums": (0, 1)}),
    "an empty array": (lambda x, y: fnp.sum(x * y), (np.ones((0, 2)), Y), {"argnums": (0, 1)}),
    "large arrays": (lambda x, y: fnp.sum(x * LARGE + y * x), (LARGE, 0.5), {"argnums": (0, 1), "has_aux": False}),
    "aux shows a large array": (lambda x, y: (fnp.sum(x * x), x[1:]), (LARGE, 0.5), {"has_aux": True}),
    "layers": (layers, (WEIGHTS, MATRIX), {}),
    "layers and data": (layers, (WEIGHTS, MATRIX[:, ::-1]), {"argnums": (0, 1)}),
    "pytrees": (of_pytrees, ({"a": 0.5, "b": [X, 2.0, None]}, Pair(X, 0.3)), {"argnums": (0, 1)}),
    "a sum that is none": (arrays, (X, "text"), {}),
    "no array": (scalars, (None, 0.3), {}),
    "no scalar": (lambda x, y: x * y, (X, 0.3), {}),
    "no result": (lambda x, y: None, (X, 0.3), {}),
    "two results": (lambda x, y: (x, y), (0.1, 0.3), {}),
    "an integer result": (lambda x, y: x > y, (0.1, 0.3), {}),
    "a plain result": (lambda x, y: 3.0, (0.1, 0.3), {"argnums": (0, 1)}),
    "the argument": (lambda x, y: x, (0.1, 0.3), {"argnums": (0, 1)}),
    "nothing depends on it": (nothing_used, (X, Y), {"argnums": (0, 1)}),
    "nan": (scalars, (np.nan, 0.4), {"argnums": (0, 1)}),
    "infinities": (arrays, (np.array([np.inf, -1.0, 0.0]), Y), {"argnums": (0, 1)}),
    "division by zero": (lambda x, y: fnp.sum(x / y), (X, np.array(0.0)), {"argnums": (0, 1)}),
    "division of zero by zero": (lambda x, y: x / y, (0.0, 0.0), {"argnums": (0, 1)}),
    "overflow": (lambda x, y: fnp.sum(fnp.exp(x * 1e4)) * x[0] * 1e300, (X, Y), {}),
    "signed zeros": (lambda x, y: x * y - x + fnp.abs(y), (-0.0, 0.0), {"argnums": (0, 1)}),
    "the same array twice": (lambda x, y: fnp.sum(x * x + x @ x + (x - x)), (X, Y), {"argnums": (0, 1)}),
    "an error of NumPy": (lambda x, y: fnp.sum(x @ y), (X, Y), {}),
    "numbers of numpy": (lambda x, y: np.float64(2) * x + y * np.float32(3) + np.int8(2) * x, (0.3, 0.4), {}),
    "numbers of both kinds": (lambda x, y: 2 * x + y * 3.5 + True * x - x / 4, (np.float32(0.3), 0.4), {}),
    "functions of numpy": (lambda x, y: np.sum(np.sin(x) * np.exp(y[0])), (X, Y), {"argnums": (0, 1)}),
}

CONTEXTS = {
    "alone": lambda g, args: g(*args),
    "in a pullback": lambda g, args: fg.vjp(lambda *xs: g(*xs), *args)[0],
    "observed": lambda g, args: fg.debug.nans(g)(*args),
    "in jvp": lambda g, args: fg.jvp(g, args, args),
}


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("name", OPTIONS)
def test_short_and_general_paths_agree(name, context, general):
    f, args, options = OPTIONS[name]

    def run():
        return CONTEXTS[context](fg.value_and_grad(f, **options), args)

    short = outcome(run)
    general()
    agree(short, outcome(run))


@pytest.mark.parametrize("name", ["scalars", "arrays", "layers and data", "pytrees", "nan"])
def test_they_agree_under_a_second_derivative_and_in_batches(name, general):
    f, args, options = OPTIONS[name]

    def total(*xs):
        return sum([fnp.sum(fnp.sin(x)) for x in LONG_FLATTEN(fg.grad(f, **options)(*xs))[0]])

    def run():
        batch = fg.tree.map(lambda x: np.stack([np.asarray(x)] * 2), args)
        return fg.grad(total, **options)(*args), fg.vmap(fg.grad(f, **options))(*batch)

    short = outcome(run)
    general()
    agree(short, outcome(run))


def test_keyword_arguments_agree(general):
    def run():
        return fg.value_and_grad(lambda x, *, scale: scalars(x, scale) * scale)(0.3, scale=np.float32(2.0))

    short = outcome(run)
    general()
    agree(short, outcome(run))
