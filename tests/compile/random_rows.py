"""Random programs on rows: elementwise functions, views, reductions, products and loops, in all orders.

What jit joins lies side by side here: groups of elementwise work, programs of numbers, products, loops over rows.
"""

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp

UNARY = (
    fnp.tanh,
    fnp.sin,
    lambda x: fnp.exp(-fnp.abs(x)),
    lambda x: x * x,
    lambda x: -x,
    lambda x: fnp.where(x > 0.1, x, 0.5 * x),
    lambda x: fnp.maximum(x, 0.0),
)
BINARY = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (1 + b * b),
    fnp.maximum,
    lambda a, b: fnp.where(a > b, a, b * 2),
)
REDUCTIONS = (fnp.sum, fnp.max, fnp.mean)


def _looped(x):
    """A loop over the rows that multiplies each by a number which it carries on."""
    return fg.lax.scan(lambda c, row: (0.5 * fnp.sin(c) + fnp.sum(row), fnp.sin(c) * row), fnp.mean(x), x)[1]


class Steps:
    """Steps of elementwise work on values whose shapes are known.

    Attributes:
        functions, pairs: functions of one and of two arrays.
        rng, args, shapes: draws; the arguments; the shapes of all values.
        dtype: of the arguments.
    """

    dtype = "float64"

    def argument(self, shape):
        """The number of a new argument."""
        self.args.append(self.rng.normal(size=shape).astype(self.dtype))
        return len(self.args) - 1

    def unary(self, at, shape):
        f = self.functions[self.rng.integers(len(self.functions))]
        return lambda values, args: f(values[at]), shape

    def binary(self, at, shape):
        f = self.pairs[self.rng.integers(len(self.pairs))]
        other = int(self.rng.choice([k for k, s in enumerate(self.shapes) if s == shape]))
        return lambda values, args: f(values[at], values[other]), shape

    def beside(self, at, shape):
        """With an argument that is stretched."""
        f = self.pairs[self.rng.integers(len(self.pairs))]
        axes = [n if self.rng.random() < 0.7 else 1 for n in shape[self.rng.integers(len(shape) + 1) :]]
        k = self.argument(axes)
        return lambda values, args: f(values[at], args[k]), shape


class Program(Steps):
    """A function of arrays, drawn by a seed: value and gradients of a sum, or some of the values on the way.

    Arguments:
        seed: of what is drawn.
        rows: the lengths of the first axis.
        widths: those of the others.
    """

    functions, pairs = UNARY, BINARY

    def __init__(self, seed, rows=(1, 2, 3, 5, 8, 12), widths=(1, 2, 3, 4, 5, 8)):
        self.rng, self.args, self.steps = np.random.default_rng(seed), [], []
        others = self.rng.choice(widths, size=self.rng.integers(0, 3))
        self.shapes = [(int(self.rng.choice(rows)), *map(int, others))]
        self.argument(self.shapes[0])
        for _ in range(self.rng.integers(2, 12)):
            self.draw()
        self.outs = [*self.rng.integers(len(self.shapes), size=2), -1]
        self.differentiated = bool(self.rng.integers(2))

    def draw(self):
        """Add a step, of a kind that suits the shape of one of the last values."""
        at = int(self.rng.integers(max(0, len(self.shapes) - 3), len(self.shapes)))
        shape = self.shapes[at]
        kinds = [self.unary, self.binary, self.beside, self.loop, self.product]
        kinds += [self.cut, self.joined] if max(shape, default=0) > 1 else []
        kinds += [self.reshaped, self.turned, self.reduced] if len(shape) > 1 else []
        made = kinds[self.rng.integers(len(kinds))](at, shape) if shape else self.unary(at, shape)
        self.steps.append(made[0])
        self.shapes.append(made[1])

    def loop(self, at, shape):
        return lambda values, args: _looped(values[at]), shape

    def product(self, at, shape):
        if self.rng.random() < 0.3 and len(shape) > 1:
            return lambda values, args: fnp.tanh(values[at] @ fnp.swapaxes(values[at], -1, -2)), (
                *shape[:-1],
                shape[-2],
            )
        width = [int(n) for n in self.rng.choice([1, 2, 3, 5, 9], size=self.rng.integers(2))]
        k = self.argument([shape[-1], *width])
        return lambda values, args: fnp.tanh(values[at] @ args[k]), (*shape[:-1], *width)

    def cut(self, at, shape):
        axis = int(np.argmax(shape))
        first = int(self.rng.integers(shape[axis] - 1))
        step = int(self.rng.choice([1, 1, 2, -1]))
        part = slice(first, None, step) if step > 0 else slice(None, None, -1)
        length = len(range(*part.indices(shape[axis])))
        index = (*[slice(None)] * axis, part)
        return lambda values, args: values[at][index], (*shape[:axis], length, *shape[axis + 1 :])

    def joined(self, at, shape):
        axis = int(self.rng.integers(len(shape)))
        other = int(self.rng.choice([k for k, s in enumerate(self.shapes) if s == shape]))
        made = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
        return lambda values, args: fnp.concatenate([values[at], values[other]], axis), made

    def reshaped(self, at, shape):
        size = int(np.prod(shape[1:]))
        n = int(self.rng.choice([n for n in range(1, size + 1) if size % n == 0]))
        made = (shape[0], n, size // n)
        return lambda values, args: fnp.reshape(values[at], made), made

    def turned(self, at, shape):
        axes = (0, *[int(k) + 1 for k in self.rng.permutation(len(shape) - 1)])
        return lambda values, args: fnp.transpose(values[at], axes), tuple([shape[k] for k in axes])

    def reduced(self, at, shape):
        f, axis = REDUCTIONS[self.rng.integers(len(REDUCTIONS))], int(self.rng.integers(1, len(shape)))
        kept = self.rng.random() < 0.6
        made = tuple([1 if k == axis else n for k, n in enumerate(shape) if kept or k != axis])
        return lambda values, args: f(values[at], axis=axis, keepdims=kept), made

    def __call__(self, *args):
        return fg.value_and_grad(self._sum, tuple(range(len(args))))(*args) if self.differentiated else self._run(args)

    def _sum(self, *args):
        return sum([fnp.sum(fnp.sin(y)) for y in self._run(args)])

    def _run(self, args):
        values = [args[0]]
        for step in self.steps:
            values.append(step(values, args))
        return [values[k] for k in self.outs]
