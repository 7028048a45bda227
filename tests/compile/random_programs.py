"""Random programs of arrays, and what it means that two of them give the same.

A program is a list of steps, each an operation on results of earlier ones. It is drawn while it runs uncompiled, so
that shapes fit more often than not; a step that raises is left out, and remembered.
"""

import math
import random

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

SMALL = [(), (0,), (1,), (3,), (50,), (3, 4), (4,), (5, 1), (1, 4), (4, 4), (2, 3, 4), (0, 3), (3, 0)]
LARGE = [(20000,), (200, 100), (100, 200), (20000, 3), (3, 20000), (20000, 1), (100,), (3,), (40, 16, 32)]
DTYPES = ["float64", "float64", "float32", "int64", "int32", "bool", "complex128"]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0]
FAMILIES = (
    ["unary"] * 3
    + ["binary"] * 5
    + ["reduce", "along"] * 2
    + ["move", "index", "set"] * 2
    + ["product", "matrix", "choose", "loop", "loop"]
)
MOST = 100_000  # elements of a result that a program may go on with


def number(x):
    """One real number that depends on all elements, for closures."""
    return fnp.sum(fnp.tanh(fnp.real(x))).astype("float64") * 0.01


def inexact(x):
    return x if x.dtype.kind in "fc" else x.astype("float64")


def well_conditioned(x):
    x = fnp.tanh(inexact(x))
    return x @ fnp.swapaxes(fnp.conj(x), -1, -2) + 4 * fnp.eye(x.shape[-2], dtype=x.dtype)


def drawn(draw, shape):
    """An index: integers, slices with steps, new axes, arrays of integers and of truth values, an ellipsis."""
    index, arrays = [], 0
    for n in shape:
        kind = draw.random()
        if kind < 0.4:
            index.append(
                slice(draw.choice([None, 0, 1, -2]), draw.choice([None, -1, 3]), draw.choice([None, 2, -1, -2]))
            )
        elif kind < 0.6 and n:
            index.append(draw.randrange(-n, n))
        elif kind < 0.7:
            index += [None, slice(None)]
        elif kind < 0.9 and n and not arrays:
            arrays += 1
            some = [draw.randrange(-n, n) for _ in range(draw.choice([1, 2, 5]))]
            index.append(np.array(some if draw.random() < 0.6 else [k in some for k in range(n)]))
        else:
            break
    if len(index) < len(shape) and draw.random() < 0.3:
        index.append(...)
    return tuple(index)


def axes(draw, x, one=False):
    """What reductions take for an axis."""
    if x.ndim == 0 or (not one and draw.random() < 0.25):
        return None
    some = draw.sample(range(-x.ndim, 0), 1 if one else draw.randint(1, x.ndim))
    return some[0] if len(some) == 1 else tuple(some)


SMOOTH = [fnp.sin, fnp.cos, fnp.tanh, fnp.negative, fnp.square, fnp.arctan, fnp.arcsinh, fnp.sinc, fnp.positive]
SMOOTH += [lambda x: fnp.exp(fnp.sin(x)), lambda x: fnp.logaddexp(fnp.real(x), 0.5), lambda x: 1.0 / (x * x + 2.0)]
OTHERS = [fnp.sqrt, fnp.log, fnp.exp, fnp.abs, fnp.floor, fnp.sign, fnp.isnan, fnp.reciprocal, fnp.conj, fnp.signbit]
OTHERS += [fnp.logical_not, fnp.nan_to_num, fnp.log1p, fnp.rint, fnp.angle, fnp.isfinite]
PAIRS = [fnp.add, fnp.subtract, fnp.multiply, lambda x, y: x / (y * y + 1.0), lambda x, y: fnp.hypot(x, y + 3.0)]
RELATIONS = [fnp.divide, fnp.maximum, fnp.minimum, fnp.power, fnp.less, fnp.equal, fnp.floor_divide, fnp.remainder]
RELATIONS += [fnp.logical_and, fnp.fmax, lambda x, y: x + y, lambda x, y: x * y, fnp.greater_equal, fnp.bitwise_and]
NUMBERS = [2, -1, 1, 0, 0.5, -0.0, 1.0, True, -1.0, 1e-3]
SUMS = [fnp.sum, fnp.mean, fnp.prod, fnp.var, fnp.logsumexp]
EXTREMA = [fnp.max, fnp.min, fnp.any, fnp.all, fnp.nansum, fnp.count_nonzero]
ALONG = [fnp.cumsum, fnp.cumprod, fg.scipy.special.softmax, fg.scipy.special.log_softmax, fnp.flip, fnp.diff]
ORDER = [fnp.sort, fnp.argsort, fnp.argmax, fnp.median]
MOVES = [fnp.ravel, fnp.squeeze, fnp.atleast_2d, lambda x: x.T, lambda x: fnp.tile(x, 2), lambda x: fnp.roll(x, -2)]
MOVES += [lambda x: x[None], lambda x: x[..., None], lambda x: fnp.moveaxis(x, 0, -1), lambda x: x.reshape(-1, 1)]
MOVES += [lambda x: fnp.broadcast_to(x, (2, *x.shape)), lambda x: fnp.pad(x, 1), lambda x: fnp.stack([x, x * 2], -1)]
MOVES += [
    lambda x: fnp.concatenate([x, x[:1]]),
    lambda x: fnp.repeat(x, 2, axis=0),
    fnp.triu,
    lambda x: x.astype("float32"),
]
PRODUCTS = [fnp.matmul, fnp.dot, fnp.inner, fnp.vdot, lambda x, y: fnp.einsum("ij,kj->ik", x, y)]
PRODUCTS += [
    lambda x, y: fnp.tensordot(x, y, 1),
    lambda x, y: x @ fnp.swapaxes(x, -1, -2),
    lambda x, y: fnp.outer(x, y[:3]),
]
MATRICES = [fnp.linalg.inv, fnp.linalg.cholesky, fnp.linalg.det, lambda a: fnp.linalg.eigh(a)[0], fg.scipy.linalg.expm]
MATRICES += [lambda a: fnp.linalg.solve(a, a[..., :1]), lambda a: fnp.linalg.slogdet(a)[1]]
LOOPS = [
    lambda x, y: lax.cond(number(y) > 0, lambda a: fnp.sin(a) * 2, lambda a: fnp.sin(a) + number(y), inexact(x)),
    lambda x, y: lax.scan(lambda c, a: (c * 0.5 + number(a), fnp.sin(a) * c), number(y), x)[1],
    lambda x, y: lax.scan(lambda c, a: (c * 0.5 + number(a), c), number(y), x, reverse=True)[1],
    lambda x, y: lax.fori_loop(0, 3, lambda i, c: fnp.sin(c) + i * number(y).astype(c.dtype), inexact(x)),
    lambda x, y: lax.map(lambda a: fnp.cumsum(a) * number(y), x),
    lambda x, y: lax.associative_scan(lambda a, b: a * 0.5 + b, inexact(x)),
    lambda x, y: lax.switch(1, [fnp.cos, fnp.sin], x) + number(y),
    lambda x, y: fg.checkpoint(lambda a, b: fnp.sin(a) * number(b))(x, y),
    lambda x, y: fg.vmap(lambda a: fnp.sum(a) * number(y))(x),
    lambda x, y: fg.jit(lambda a: fnp.cos(a) * number(y) + a)(x),
]
UNBOUNDED = [
    lambda x, y: lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, fnp.sin(s[1])), (0, inexact(x)))[1],
    lambda x, y: fnp.sum(x) * fg.random.normal(fg.random.fold_in(fg.random.key(3), 5), (3,)),
    lambda x, y: fg.random.permutation(fg.random.key(1), fnp.ravel(x)),
    lambda x, y: fg.random.randint(fg.random.key(1), (2,), 0, 9),
    lambda x, y: fg.grad(lambda a: fnp.sum(fnp.sin(a) * number(y).astype(a.dtype)))(x),
    lambda x, y: x[fnp.argmax(fnp.ravel(y)) % x.shape[0]],
    lambda x, y: x.at[fnp.argmax(fnp.ravel(y)) % x.shape[0]].add(1),
]


class Program:
    """Arguments, and steps that have been drawn for them.

    Arguments:
        seed: of everything that is drawn.
        shapes, dtypes: of the arguments.
        smooth: whether every step is differentiable wherever it is used.
        special: whether nan, infinities and zeros of both signs are among the numbers.
        steps: how many there are at most.
        args: the arguments, if they are not to be drawn.
    """

    def __init__(self, seed, shapes=SMALL, dtypes=DTYPES, smooth=False, special=False, steps=8, args=None):
        self.draw, self.rng, self.smooth = random.Random(seed), np.random.default_rng(seed), smooth
        shape = self.draw.choice(shapes)
        if args is None:
            args = [self._array(shape if k < 2 else self.draw.choice(shapes), dtypes, special) for k in range(3)]
        self.args = args
        self.steps, self.values, self.failures = [], [fnp.asarray(a.copy()) for a in args], []
        for _ in range(4 * steps):
            if len(self.steps) < steps:
                self._step()

    def _array(self, shape, dtypes, special):
        kind = np.dtype(self.draw.choice(dtypes))
        if kind.kind in "iu":
            return self.rng.integers(-4, 5, shape).astype(kind)
        x = np.asarray(self.rng.standard_normal(shape))
        if kind.kind == "b":
            return x > 0
        if special:
            x = np.where(self.rng.random(shape) < 0.15, self.rng.choice(SPECIAL, shape), x)
        return (x + 1j * self.rng.standard_normal(shape) if kind.kind == "c" else x).astype(kind)

    def _step(self):
        draw = self.draw
        where = [draw.choice(range(len(self.values))[-5:]), draw.choice(range(len(self.values)))]
        x, y = (self.values[k] for k in where)
        family = draw.choice(FAMILIES)
        f = getattr(self, f"_{family}")(x, y)
        try:
            out = f(x, y)
        except Exception as e:  # the test reports it
            self.failures.append((f, x, y, e))
            return
        if out.size <= MOST and out.ndim <= 4 and (not self.smooth or out.dtype == np.float64):
            self.steps.append((f, where))
            self.values.append(out)

    def _among(self, smooth, others):
        return self.draw.choice(smooth if self.smooth else smooth + others)

    def _unary(self, x, y):
        f = self._among(SMOOTH, OTHERS)
        return lambda x, y: f(x)

    def _binary(self, x, y):
        f, n, kind = self._among(PAIRS, RELATIONS), self.draw.choice(NUMBERS), self.draw.random()
        constant = self._constant(x)
        if kind < 0.3:
            return lambda x, y: f(x, n)
        if kind < 0.4:
            return lambda x, y: f(n, x)
        return f if kind < 0.8 else lambda x, y: f(x, constant)

    def _constant(self, x):
        """Numbers of the shape of x, or one that x is stretched to; all the same, or not."""
        shape = tuple([3 if n == 1 else n for n in x.shape]) if self.draw.random() < 0.5 else x.shape
        same = self.draw.random() < 0.5
        return np.full(shape, 1.5) if same else np.cos(np.arange(math.prod(shape))).reshape(shape)

    def _reduce(self, x, y):
        f, axis, keep = self._among(SUMS, EXTREMA), axes(self.draw, x), self.draw.random() < 0.4
        return lambda x, y: f(x, axis=axis, keepdims=keep)

    def _along(self, x, y):
        f, axis = self._among(ALONG, ORDER), axes(self.draw, x, one=True)
        return lambda x, y: f(x, axis=axis)

    def _move(self, x, y):
        f = self.draw.choice(MOVES[:-1] if self.smooth else MOVES)
        return lambda x, y: f(x)

    def _index(self, x, y):
        index = drawn(self.draw, x.shape)
        return lambda x, y: x[index]

    def _set(self, x, y):
        index, how = drawn(self.draw, x.shape), self._among(["set", "add", "multiply"], ["max"])
        if self.draw.random() < 0.5:
            return lambda x, y: getattr(x.at[index], how)(2)
        return lambda x, y: getattr(x.at[index], how)(fnp.sin(inexact(x)[index]).astype(x.dtype))

    def _product(self, x, y):
        f = self.draw.choice(PRODUCTS)
        return f if x.size * max(y.size, 1) < 1e8 else lambda x, y: fnp.vdot(x, x)

    def _matrix(self, x, y):
        f = self.draw.choice(MATRICES)
        return lambda x, y: f(well_conditioned(x[..., :4, :4]))

    def _choose(self, x, y):
        low, constant = self.draw.choice([-1, -0.5, 0.0]), self._constant(x)
        if self.draw.random() < 0.4:
            return lambda x, y: fnp.where(fnp.real(x) > low, x, constant)
        if self.draw.random() < 0.3:  # only a constant makes it as wide as it is
            axis = axes(self.draw, x)
            return lambda x, y: fnp.sum(fnp.where(fnp.real(x[..., :1]) > low, x[..., :1], constant), axis=axis)
        if self.smooth or self.draw.random() < 0.5:
            return lambda x, y: fnp.where(fnp.real(x) > low, x, 0.5 * y)
        return lambda x, y: fnp.clip(x, low, 0.7) if x.dtype.kind == "f" else fnp.where(x, y, low)

    def _loop(self, x, y):
        return self._among(LOOPS, UNBOUNDED) if x.ndim == 0 or x.shape[0] < 300 else LOOPS[3]

    def run(self, *args):
        """The arguments and the results of all steps."""
        values = [fnp.asarray(a) for a in args]
        for f, (i, j) in self.steps:
            values.append(f(values[i], values[j]))
        return values

    def __call__(self, *args):
        """The last results."""
        return self.run(*args)[-3:]


def near(found, expected, values=()):
    """Equal up to rounding where both are finite, and equal elsewhere.

    Arguments:
        found, expected: pytrees.
        values: what they were computed from; the narrowest dtype tells how much is rounding.
    """
    found, expected = fg.tree.leaves(found), fg.tree.leaves(expected)
    eps = max([np.finfo(v.dtype).eps for v in (*values, *expected) if v.dtype.kind in "fc"], default=0.0)
    assert len(found) == len(expected)
    for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind in "biu":
            np.testing.assert_array_equal(a, b)
        else:
            tolerance = math.sqrt(eps) / 10
            scale = np.max(np.abs(b), where=np.isfinite(b), initial=0)
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


def rows(x):
    """A batch of three arrays."""
    return np.stack([x, x * 0.5, x + 0.25])


def along(x):
    """A tangent at x."""
    return np.cos(np.arange(x.size) + 0.5).reshape(x.shape)
