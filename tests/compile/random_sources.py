"""Random whole programs as text: loops, choices and transforms whose bodies are programs themselves.

A program is drawn line by line while it runs uncompiled, so that shapes fit. Bodies close over what stands before them.
As it is text, one that fails can be cut down: `shortest` drops lines as long as it fails.
"""

import functools
import itertools
import math
import random
from collections.abc import Callable

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

SHAPES = {
    "small": [(), (0,), (1,), (3,), (5,), (3, 4), (4, 4), (1, 4), (3, 1), (2, 3, 4), (0, 3), (2, 2, 3, 2)],
    "middle": [(), (1,), (40,), (33, 7), (64, 5), (7, 33), (8, 8), (5, 40, 3), (100,), (50, 2)],
    "large": [(), (3,), (300, 20), (1000, 5), (4096,), (20, 300), (5000, 3), (600, 8, 4), (15000, 3)],
}
MOST = {"small": 2000, "middle": 20_000, "large": 100_000}  # elements of a value
DTYPES = [["float64"], ["float64"], ["float32"], ["float64", "int64", "bool"]]
DTYPES += [["float64", "float32", "int64", "int32", "bool", "complex128", "complex64"]]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, 1e300, 1e-300]

HEAD = """
def number(x):
    return fnp.sum(fnp.tanh(fnp.real(x).astype("float64"))) * 0.01
def fit(y, c):
    if y.shape == c.shape and y.dtype == c.dtype:
        return fnp.sin(y) if y.dtype.kind in "fc" else y
    return (c * 0.5 + number(y)).astype(c.dtype) if c.dtype.kind in "fc" else c
def definite(x):
    x = fnp.tanh(x)
    return x @ fnp.swapaxes(fnp.conj(x), -1, -2) + 4 * fnp.eye(x.shape[-2], dtype=x.dtype)
"""
TAIL = """
def total(*xs):
    return sum([fnp.sum(fnp.sin(fnp.real(o).astype("float64"))) for o in f(*xs)])
def rows(x):
    return fnp.stack([x, (x * 0.5).astype(x.dtype), x])
"""

SMOOTH = ["fnp.tanh({x})", "fnp.exp(-fnp.abs({x}))", "{x} * {x}", "1 - {x}", "fnp.where({x} > 0.1, {x}, 0.5 * {x})"]
SMOOTH += ["fnp.maximum({x}, 0.0)", "fnp.log1p(fnp.abs({x}))", "{x} ** 3", "1 / (1 + fnp.exp(-{x}))", "{x} / 3"]
SMOOTH += ["fnp.arctan2({x}, 2.0)", "fnp.clip({x}, -0.5, 0.7)", "fnp.sqrt(fnp.abs({x}) + 1)", "fnp.sin({x}) * -1"]
ROUGH = [
    "fnp.log({x})",
    "fnp.exp({x})",
    "1 / {x}",
    "{x} ** 0.5",
    "fnp.sign({x})",
    "fnp.isnan({x})",
    "{x} > 0",
    "{x} % 1",
]
ROUGH += ["fnp.nan_to_num({x})", "{x}.astype('float32')", "{x} - {x}", "fnp.signbit({x})", "{x} * 1j", "0.0 * {x}"]
UNARY = {
    "f": SMOOTH,
    "i": ["{x} + 1", "{x} * {x}", "{x} // 2", "{x} % -3", "{x} >> 1", "~{x}", "{x} * 0.5", "{x} / 2", "{x} > 1"],
    "b": ["~{x}", "{x} * 2", "{x} + {x}", "{x} * 0.5", "{x}.astype('int32')"],
    "c": [
        "fnp.conj({x})",
        "fnp.real({x})",
        "fnp.abs({x})",
        "{x} * {x}",
        "fnp.exp(fnp.tanh({x}))",
        "{x} * 1j",
        "1 - {x}",
    ],
}
BINARY = {
    "f": ["{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / (1 + {y} * {y})", "fnp.maximum({x}, {y})", "{x} * {y} + {x}"]
    + ["fnp.where({x} > {y}, {x}, {y} * 2)", "fnp.hypot({x}, {y} + 3.0)", "fnp.logaddexp({x}, {y})"],
    "i": ["{x} + {y}", "{x} * {y}", "{x} // {y}", "{x} & {y}", "fnp.maximum({x}, {y})", "{x} < {y}", "{x} / {y}"],
    "c": ["{x} + {y}", "{x} * {y}", "{x} / ({y} * fnp.conj({y}) + 2)", "fnp.where(fnp.real({x}) > 0, {x}, {y})"],
}
MOVES = ["{x}.T", "fnp.ravel({x})", "{x}[None]", "{x}[..., None]", "fnp.pad({x}, 1)", "fnp.roll({x}, -2)", "{x}[::-1]"]
MOVES += ["fnp.broadcast_to({x}, (2, *{x}.shape))", "fnp.reshape({x}, {x}.shape[::-1])", "fnp.triu({x})", "{x}[:, 1:]"]
MOVES += ["fnp.cumsum({x}, axis={a})", "fg.nn.softmax({x}, axis={a})", "fnp.sort({x}, axis={a})", "{x}[0]", "{x}[1::2]"]
MOVES += ["fnp.roll({x}, 1, axis={a})", "fnp.concatenate([{x}, {x} * 2], axis={a})", "fnp.diff({x}, axis={a})"]
MOVES += ["fnp.take({x}, np.array([0, -1, 0]), axis={a})", "{x}.at[..., 0].set(2)", "{x}.at[[0, -1]].add({x}[:1] * 2)"]
MOVES += ["{x}.at[::2, 1].multiply(0.5)", "{x}[fnp.argmax({x}) % {x}.shape[0]]", "fnp.repeat({x}, 2, axis={a})"]
PRODUCTS = ["{x} @ {y}", "fnp.dot({x}, {y})", "{x}.T @ {y}", "{x} @ {y}.T", "{x}.T @ {x}", "fnp.outer({x}, {y})"]
PRODUCTS += ["fnp.einsum('...i,...i->...', {x}, {y})", "fnp.tensordot({x}, {y}, 1)"]
MATRICES = ["fnp.linalg.inv({m})", "fnp.linalg.cholesky({m})", "fnp.linalg.slogdet({m})[1]"]
MATRICES += ["fnp.linalg.solve({m}, {m}[..., :1])", "fnp.linalg.eigh({m})[0]"]
REDUCTIONS = ["fnp.sum", "fnp.mean", "fnp.max", "fnp.min", "fnp.prod", "fnp.var"]
LOOPS = [  # of f, which takes a carry and a second argument: the index of a step, or a row
    "lax.fori_loop(0, 5, lambda i, c: fit({f}(c, i), c), {c})",
    "lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, fit({f}(s[1], s[0]), s[1])), (0, {c}))[1]",
    "lax.while_loop(lambda s: number(s[1]) < s[0] / 99, lambda s: (s[0] - 1, fit({f}(s[1], s[0]), s[1])), (5, {c}))[1]",
    "functools.reduce(lambda c, i: fit({f}(c, i), c), range(8), {c})",
    "fnp.stack(list(itertools.accumulate(range(6), lambda c, i: fit({f}(c, i), c), initial={c})))",
]
SCANS = [
    "lax.scan(lambda c, x: (fit({f}(c, x), c), {f}(c, x)), {c}, {xs})[1]",
    "lax.scan(lambda c, x: (fit({f}(c, x), c), None), {c}, {xs}, reverse=True)[0]",
    "lax.map(lambda x: {f}({c}, x), {xs})",
    "fg.vmap({f}, in_axes=(None, 0), out_axes=-1)({c}, {xs})",
]
CALLS = ["fg.jit({f})({c}, {y})", "fg.checkpoint({f})({c}, {y})", "fg.vjp({f}, {c}, {y})[1]({f}({c}, {y}))[0]"]
CALLS += ["fg.jvp(lambda c: {f}(c, {y}), ({c},), ({c},))[1]", "fg.grad(lambda c: number({f}(c, {y})))({c})"]
CALLS += ["lax.cond(number({y}) > 0, lambda c: fit({f}(c, {y}), c), lambda c: c, {c})"]
CALLS += ["lax.switch((number({y}) * 300).astype('int32') % 2, [lambda c: fit({f}(c, {y}), c), lambda c: c * 2], {c})"]
TRANSFORMS = ["fg.value_and_grad(total, {n})"] * 4 + [
    "fg.grad(fg.checkpoint(total), {n})",
    "fg.grad(fg.jit(total), {n})",
]
TRANSFORMS += ["lambda *xs: fg.vmap(fg.grad(total, {n}))(*map(rows, xs))", "lambda *xs: fg.vmap(f)(*map(rows, xs))"]
SECOND = ["fg.jacfwd(fg.grad(total, {n}), {n})", "fg.jacrev(f, {n})"]


class Program:
    """A program as lines, and arguments for it.

    Arguments:
        seed: of everything that is drawn.
    """

    def __init__(self, seed: int) -> None:
        self.draw, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.size = self.draw.choice(["small"] * 4 + ["middle"] * 3 + ["large"])
        self.smooth = self.draw.random() < 0.5
        self.dtypes = ["float64"] if self.smooth else self.draw.choice(DTYPES)
        self.special = not self.smooth and self.draw.random() < 0.4
        first = self.draw.choice(SHAPES[self.size])
        shapes = [first, first, *self.draw.choices(SHAPES[self.size], k=2)][: self.draw.randint(1, 4)]
        self.args = [self._array(shape) for shape in shapes]
        self.names = [f"a{k}" for k in range(len(shapes))]
        self.values = names() | dict(zip(self.names, map(fnp.asarray, self.args), strict=True))
        exec(HEAD, self.values)
        self.count, self.depth, scope = 0, 0, list(self.names)
        self.lines = [line for _ in range(self.draw.randint(2, 10)) for line in self._statement(scope)]
        self.results = [scope[-1], *self.draw.choices(scope, k=self.draw.randint(0, 2))]
        self.whole = self._transform()

    def _array(self, shape):
        kind, x = np.dtype(self.draw.choice(self.dtypes)), self.rng.standard_normal(shape)
        if kind.kind in "ib":
            return np.asarray(self.rng.integers(-4, 5, shape).astype(kind))
        if self.special:
            x = np.where(self.rng.random(shape) < 0.15, self.rng.choice(SPECIAL, shape), x)
        with np.errstate(all="ignore"):
            return np.asarray(x + 1j if kind.kind == "c" else x).astype(kind)

    def _transform(self):
        floats = tuple([k for k, a in enumerate(self.args) if a.dtype.kind == "f"])
        if not floats or self.special or (not self.smooth and self.draw.random() < 0.5):
            return "f"  # a zero cotangent of a loop is a number on a tape, and nan after an infinite factor
        second = self.size == "small" and self.draw.random() < 0.2
        return self.draw.choice(SECOND if second else TRANSFORMS).format(n=floats[0] if second else floats)

    def source(self, lines: list[str] | None = None) -> str:
        """The text of the program, or of what is left of it."""
        body = [f"{n} = fnp.asarray({n})" for n in self.names] + (self.lines if lines is None else lines)
        body.append(f"return [{', '.join(self.results)}]")
        head = f"def f({', '.join(self.names)}):\n    "
        return HEAD + head + "\n    ".join(body) + "\n" + TAIL + f"program = {self.whole}\n"

    def _statement(self, scope):
        """The lines of a statement that runs, and whose result is in the scope from then on."""
        kinds = [self._unary] * 4 + [self._binary] * 6 + [self._reduced] * 3 + [self._moved] * 5 + [self._product] * 3
        kinds += [self._matrix] + ([self._loop, self._scan, self._call] * 2 if self.depth < 2 else [])
        for _ in range(6):
            self.count += 1
            name = f"v{self.count}"
            try:
                before, text = self.draw.choice(kinds)(scope)
                lines = [*before, f"{name} = {text}"]
                with np.errstate(all="ignore"):
                    exec("\n".join(lines), self.values)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                continue  # it does not fit
            value = self.values[name]
            if value.size <= MOST[self.size] and value.ndim <= 4 and value.dtype.kind in "fibc":
                scope.append(name)
                return lines
        return []

    def _one(self, scope, kinds="fibc", axes=0):
        near = scope[-4:] if self.draw.random() < 0.7 else scope
        return self.draw.choice([n for n in near if self._kind(n) in kinds and self.values[n].ndim >= axes])

    def _kind(self, name):
        return self.values[name].dtype.kind

    def _other(self, scope, x):
        same = [n for n in scope if self.values[n].shape == self.values[x].shape]
        return self.draw.choice(same if self.draw.random() < 0.6 else scope)

    def _unary(self, scope):
        x = self._one(scope)
        rough = self._kind(x) == "f" and not self.smooth and self.draw.random() < 0.4
        return [], self.draw.choice(ROUGH if rough else UNARY[self._kind(x)]).format(x=x)

    def _binary(self, scope):
        x = self._one(scope)
        y = self._other(scope, x) if self.draw.random() < 0.7 else self._constant(x)
        kinds = self._kind(x) + (self._kind(y) if y in self.values else "f")
        return [], self.draw.choice(BINARY["c" if "c" in kinds else "f" if "f" in kinds else "i"]).format(x=x, y=y)

    def _constant(self, x):
        shape = self.values[x].shape
        shape = tuple([n if self.draw.random() < 0.8 else 1 for n in shape[self.draw.randint(0, len(shape)) :]])
        array = f"np.cos(np.arange({math.prod(shape)}.0)).reshape({shape})"
        return self.draw.choice(["2", "0.5", "-0.0", "True", f"np.full({shape}, 0.5)", array, array])

    def _reduced(self, scope):
        x = self._one(scope)
        ranks = range(-self.values[x].ndim, 0)
        axis = tuple(self.draw.sample(ranks, self.draw.randint(0, len(ranks)))) or None
        return [], f"{self.draw.choice(REDUCTIONS)}({x}, axis={axis}, keepdims={self.draw.random() < 0.5})"

    def _moved(self, scope):
        x = self._one(scope, axes=1)
        return [], self.draw.choice(MOVES).format(x=x, a=self.draw.randrange(-self.values[x].ndim, 0))

    def _product(self, scope):
        x = self._one(scope, axes=1)
        y = self._other(scope, x)
        if self.values[x].size * self.values[y].size > 1e7:
            raise ValueError
        return [], f"fnp.tanh({self.draw.choice(PRODUCTS).format(x=x, y=y)} * 0.2)"

    def _matrix(self, scope):
        x, n = self._one(scope, "f", axes=2), self.draw.choice([1, 2, 4, 6])
        m = f"m{self.count}"
        matrix = f"{m} = definite({x}[..., :{n}, :{n}])"
        return [matrix], self.draw.choice(MATRICES).format(m=m)

    def _body(self, scope, first, second):
        """A function of two values that reads others from outside: its name, and its lines."""
        f, c, x = (f"{letter}{self.count}" for letter in "fcx")
        self.values |= {c: self.values[first], x: second}
        inner, self.depth = [*self.draw.sample(scope, min(2, len(scope))), c, x], self.depth + 1
        lines = [line for _ in range(self.draw.randint(1, 4)) for line in self._statement(inner)]
        self.depth -= 1
        return f, [f"def {f}({c}, {x}):", *["    " + line for line in lines], f"    return {inner[-1]} + number({x})"]

    def _loop(self, scope):
        c = self._one(scope, "fc")
        f, lines = self._body(scope, c, fnp.asarray(1))
        return lines, self.draw.choice(LOOPS).format(f=f, c=c)

    def _scan(self, scope):
        c, xs = self._one(scope, "fc"), self._one([n for n in scope if self.values[n].shape[:1] < (60,)], axes=1)
        f, lines = self._body(scope, c, self.values[xs][0])
        return lines, self.draw.choice(SCANS).format(f=f, c=c, xs=xs)

    def _call(self, scope):
        c, y = self._one(scope, "fc"), self._one(scope)
        f, lines = self._body(scope, c, self.values[y])
        return lines, self.draw.choice(CALLS).format(f=f, c=c, y=y)


def names():
    """What a program may use."""
    return {"np": np, "fnp": fnp, "fg": fg, "lax": lax, "functools": functools, "itertools": itertools}


def function(source: str) -> Callable:
    """The function that a source is of."""
    made = names()
    exec(source, made)
    return made["program"]


def shortest(lines: list[str], fails: Callable[[list[str]], bool]) -> list[str]:
    """The lines without which a program no longer fails; a line goes with what is indented under it."""
    k = len(lines) - 1
    while k >= 0:
        depth, end = len(lines[k]) - len(lines[k].lstrip()), k + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        without = lines[:k] + lines[end:]
        lines, k = (without, len(without) - 1) if fails(without) else (lines, k - 1)
    return lines
