"""Functions with a planted cause each: the line that has it ends with `# here`.

A case is (function, arguments, kind, inputs that it concerns, severity); what is left out is every input and "zero".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import funcgrad as fg
import funcgrad.nn as nn
import funcgrad.numpy as fnp

CASES: list[Case] = []


class Case(NamedTuple):
    f: Callable
    args: tuple
    kind: str
    variables: tuple[str, ...]
    severity: str

    @property
    def line(self) -> int:
        """The number of the line that is to be named."""
        f = inspect.unwrap(self.f)
        lines, first = inspect.getsourcelines(f)
        return next(first + k for k, line in enumerate(lines) if "# here" in line)


def plant(kind: str, *args: Any, variables: tuple[str, ...] = ("x",), severity: str = "zero") -> Callable:
    """Decorate a function with what is to be found in it for these arguments."""

    def add(f: Callable) -> Callable:
        CASES.append(Case(f, args, kind, variables, severity))
        return f

    return add


X = np.array([0.5, -1.5, 2.25])


@plant("stop_gradient", X, severity="loss")
def target(x):
    fixed = fg.stop_gradient(np.sin(x))  # here
    return np.sum(fixed * 2.0)


@plant("stop_gradient", {"encoder": X, "head": X}, variables=("params['encoder']",), severity="loss")
def one_branch_of_a_tree(params):
    code = fg.stop_gradient(params["encoder"] * 2.0)  # here
    return np.sum(code * params["head"])


@plant("integers", X, severity="loss")
def cast(x):
    counts = x.astype(int)  # here
    return fnp.sum(counts * 0.5)


@plant("rounding", X, severity="loss")
def floors(x):
    whole = np.floor(x)  # here
    return np.sum(whole**2)


@plant("rounding", X, severity="loss")
def rounds(x):
    whole = fnp.round(x * 4.0)  # here
    return fnp.sum(whole)


@plant("rounding", X, severity="loss")
def signs(x):
    s = np.sign(x)  # here
    return np.sum(s)


@plant("rounding", X, severity="loss")
def floor_division(x):
    bins = x // 0.5  # here
    return np.sum(bins)


@plant("comparison", X, severity="loss")
def counts_the_positive(x):
    positive = x > 0  # here
    return fnp.mean(positive)


@plant("comparison", X, severity="loss")
def accuracy(x):
    return fnp.mean(fnp.where(x > 0.1, 1.0, 0.0))  # here


@plant("indices", X, severity="loss")
def place_of_the_largest(x):
    k = fnp.argmax(x)  # here
    return 1.0 * k


@plant("indices", X, severity="loss")
def reads_by_the_place(x):
    k = fnp.argmax(x)  # here
    return fnp.array([1.0, 2.0, 3.0])[k]


@plant("saturated", 50.0 * np.ones(3))
def tanh_of_large(x):
    h = np.tanh(x)  # here
    return np.sum(h)


@plant("saturated", np.array([-1000.0, 1000.0]))
def sigmoid_of_large(x):
    p = nn.sigmoid(x)  # here
    return np.sum(p)


@plant("saturated", np.array([1000.0, 0.0, -1000.0]))
def softmax_of_large(x):
    p = nn.softmax(x)  # here
    return p[0]


@plant("saturated", -1000.0 * np.ones(2))
def exponential_of_negative(x):
    weights = np.exp(x)  # here
    return np.sum(weights)


@plant("relu", -np.abs(X))
def dead_relu(x):
    h = nn.relu(3.0 * x)  # here
    return np.sum(h * 2.0)


@plant("relu", -np.abs(X))
def dead_maximum(x):
    h = np.maximum(x, 0.0)  # here
    return np.sum(h)


@plant("where", X)
def masked(x):
    kept = fnp.where(x > 100.0, x, 0.0)  # here
    return fnp.sum(kept)


@plant("clipped", 10.0 + np.abs(X))
def clips(x):
    bounded = np.clip(x, -1.0, 1.0)  # here
    return np.sum(bounded**2)


@plant("clipped", 10.0 + np.abs(X))
def bound_from_above(x):
    bounded = np.minimum(x, 5.0)  # here
    return np.sum(bounded)


@plant("not chosen", X)
def other_is_larger(x):
    larger = fnp.maximum(x, x**2 + 10.0)
    y = fnp.maximum(x, larger)  # here
    return fnp.sum(y - fg.stop_gradient(0.0) - larger)


CASES.pop()  # both lines take part: see test_explain.py


@plant("not read", X, X, variables=("y",))
def never_read(x, y):
    both = fnp.stack([x, y])
    first = both[0]  # here
    return fnp.sum(first)


@plant("times zero", X)
def times_nothing(x):
    regularisation = 0.0 * x  # here
    return np.sum(regularisation)


@plant("times zero", X, np.zeros((3, 2)), variables=("x",))
def zero_weights(x, w):
    h = x @ w  # here
    return np.sum(h)


@plant("times zero", np.array([0.0, 0.0, 3.0]))
def product_with_zeros(x):
    return np.prod(x)  # here


@plant("overwritten", X)
def overwrites(x):
    y = fnp.asarray(x).at[:].set(1.0)  # here
    return fnp.sum(y)


@plant("cancelled", X)
def two_paths(x):
    a = 2.0 * x
    b = x + x
    return np.sum(a - b)  # any of the three  # here


CASES.pop()  # three lines take part: see test_explain.py


@plant("cancelled", X)
def sum_of_softmax(x):
    e = np.exp(x)
    return np.sum(e) / np.sum(e)  # here


@plant("shape", X, severity="loss")
def only_the_shape(x):
    n = x.shape[0]  # here
    return fnp.asarray(2.0) * n


@plant("shape", X, severity="loss")
def zeros_like_it(x):
    y = fnp.zeros_like(x)  # here
    return fnp.sum(y) + 1.0


@plant("branch", X, severity="loss")
def python_decides(x):
    if np.sum(x) > 0:  # here
        return fnp.asarray(1.0)
    return fnp.asarray(2.0)


@plant("branch", 0.5, severity="loss")
def cond_decides(x):
    return fg.lax.cond(x > 0, lambda: 1.0, lambda: 2.0)  # here


@plant("python", X, severity="loss")
def leaves_as_a_number(x):
    total = float(fg.stop_gradient(np.sum(x)))  # here
    return fnp.asarray(total**2)


@plant("unused", X, X, variables=("x",), severity="loss")
def forgets_what_it_computes(x, y):
    z = np.sin(x)  # here  # noqa: F841
    return np.sum(y**2)


@plant("rounding", X, severity="loss")
def inside_scan(x):
    def step(total, row):
        whole = fnp.floor(row)  # here
        return total + whole, None

    return fg.lax.scan(step, 0.0, x)[0]


@plant("saturated", 3.0)
def inside_while(x):
    def body(state):
        k, y = state
        return k + 1, np.tanh(100.0 * y)  # here

    return fg.lax.while_loop(lambda s: s[0] < 3, body, (0, x))[1]


@plant("stop_gradient", 0.5, severity="loss")
def inside_cond(x):
    def cut(x):
        return fg.stop_gradient(x) * 2.0  # here

    return fg.lax.cond(x > 0, cut, np.sin, x)


@plant("clipped", 10.0 + np.abs(X))
@fg.jit
def inside_jit(x):
    y = fnp.clip(x * 2.0, 0.0, 1.0)  # here
    return fnp.sum(y)


@plant("clipped", 10.0 + np.abs(X))
def inside_jit_of_a_part(x):
    @fg.jit
    def bounded(x):
        return fnp.clip(x * 2.0, 0.0, 1.0)  # here

    return fnp.sum(bounded(x))


@plant("rounding", X, severity="loss")
def inside_checkpoint(x):
    def layer(x):
        h = np.floor(x)  # here
        return h * 2.0

    return np.sum(fg.checkpoint(layer)(x))


@plant("rounding", X, severity="loss")
def inside_vmap(x):
    def one(v):
        h = np.floor(v)  # here
        return h**2

    return np.sum(fg.vmap(one)(x))


@plant("stop_gradient", X, severity="loss")
def inside_grad(x):
    def inner(y):
        return np.sum(y**3) * fg.stop_gradient(np.sum(x))  # here

    return np.sum(fg.grad(inner)(fnp.ones(2)))


@fg.custom_vjp
def reversed_gradient(x):
    return x * 1.0


reversed_gradient.defvjp(lambda x: (x * 1.0, None), lambda kept, g: (0.0 * g,))


@plant("custom rule", X)
def rule_of_ones_own(x):
    y = reversed_gradient(np.sin(x))  # here
    return np.sum(y)


@plant("flat", np.zeros(3))
def starts_at_a_stationary_point(x):
    y = x**2  # here
    return np.sum(y)


@plant("underflow", np.full(2, 1e-30, np.float32))
def too_small_for_float32(x):
    y = x * np.float32(1e-30)  # here
    return np.sum(y) * np.float32(1e-30)


@plant("stop_gradient", np.array([1.0 + 2.0j, 3.0j]), severity="loss")
def complex_numbers(z):
    w = fg.stop_gradient(z * 1j)  # here
    return np.sum(np.abs(w))


CASES[-1] = CASES[-1]._replace(variables=("z",))


@plant("stop_gradient", X, severity="loss")
def by_a_method_of_numpy(x):
    return fnp.mean(fg.stop_gradient(x).reshape(3, 1).T.ravel())  # here


# Zero in part: as it is in healthy functions, so these are notes.


@plant("not read", X, severity="note")
def reads_two_of_three(x):
    return np.sum(x[:2])  # here


@plant("not read", np.ones((5, 2)), np.array([0, 3, 3]), variables=("table",), severity="note")
def rows_never_gathered(table, rows):
    return np.sum(table[rows] ** 2)  # here


@plant("not chosen", X, severity="note")
def largest(x):
    return np.max(x)  # here


@plant("relu", X, severity="note")
def half_of_relu(x):
    return np.sum(nn.relu(x))  # here


@plant("overwritten", X, severity="note")
def one_element_overwritten(x):
    y = fnp.asarray(x).at[1].set(0.0)  # here
    return fnp.sum(y)


@plant("stop_gradient", X, severity="note")
def part_of_the_paths(x):
    return np.sum(x * fg.stop_gradient(x))  # here
