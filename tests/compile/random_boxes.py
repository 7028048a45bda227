"""Random programs on grids: slices, pads, rolls, joins and differences between elementwise functions, in all orders.

Their derivatives add parts of arrays to other parts. So what machine code reads in place, and what it computes where
it is read, lies side by side here.
"""

import sys
from pathlib import Path

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp

sys.path.append(str(Path(__file__).parent))
from random_rows import Steps

UNARY = (fnp.tanh, fnp.sin, lambda x: x * x, lambda x: 0.3 * x, lambda x: fnp.where(x > 0.1, x, 0.5 * x))
BINARY = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, fnp.maximum)


class Boxes(Steps):
    """A function of arrays, drawn by a seed: value and gradients of a sum, or some of the values on the way.

    Arguments:
        seed: of what is drawn.
        shapes: from which that of the first array is drawn.
    """

    functions, pairs = UNARY, BINARY

    def __init__(self, seed, shapes):
        self.rng, self.steps = np.random.default_rng(seed), []
        self.shapes = [tuple(shapes[self.rng.integers(len(shapes))])]
        self.dtype = "float32" if self.rng.random() < 0.2 else "float64"
        self.args = [self.rng.normal(size=self.shapes[0]).astype(self.dtype)]
        kinds = [self.neighbours, self.neighbours, self.padded, self.rolled, self.joined, self.changed, self.changed]
        kinds += [self.cut, self.unary, self.unary, self.differences, self.beside, self.binary]
        for _ in range(self.rng.integers(2, 9)):
            at = int(self.rng.integers(max(0, len(self.shapes) - 3), len(self.shapes)))
            step, shape = kinds[self.rng.integers(len(kinds))](at, self.shapes[at])
            self.steps.append(step)
            self.shapes.append(shape)
        self.outs = [int(self.rng.integers(len(self.shapes))), -1]
        self.differentiated = self.rng.random() < 0.6

    def axis(self, shape):
        return int(self.rng.integers(len(shape)))

    def neighbours(self, at, shape):
        """A sum of slices of one shape, with factors, as of a derivative in space."""
        margins = [int(self.rng.integers(3)) if n > 4 else 0 for n in shape]
        count = int(self.rng.integers(2, 6))
        lows = [[int(self.rng.integers(m + 1)) for m in margins] for _ in range(count)]
        parts = [tuple([slice(a, n - m + a) for a, n, m in zip(low, shape, margins, strict=True)]) for low in lows]
        factors = self.rng.normal(size=count)

        def step(values, args):
            return sum([float(c) * values[at][part] for c, part in zip(factors, parts, strict=True)])

        return step, tuple([n - m for n, m in zip(shape, margins, strict=True)])

    def padded(self, at, shape):
        widths = [(int(self.rng.integers(3)), int(self.rng.integers(3))) for _ in shape]
        mode = self.rng.choice(["constant", "constant", "edge", "wrap"])
        made = tuple([n + a + b for n, (a, b) in zip(shape, widths, strict=True)])
        return lambda values, args: fnp.pad(values[at], widths, mode=str(mode)), made

    def rolled(self, at, shape):
        axes = tuple([int(k) for k in self.rng.permutation(len(shape))[: self.rng.integers(1, len(shape) + 1)]])
        shifts = tuple([int(s) for s in self.rng.integers(-3, 4, size=len(axes))])
        return lambda values, args: fnp.roll(values[at], shifts, axes), shape

    def joined(self, at, shape):
        """Borders that stay as they are, and what is between them."""
        axis, n = self.axis(shape), int(self.rng.integers(1, 3))
        before = (slice(None),) * axis

        def step(values, args):
            x = values[at]
            inner = x[(*before, slice(n, -n))]
            ends = x[(*before, slice(None, n))], x[(*before, slice(-n, None))]
            return fnp.concatenate([ends[0], inner * inner - 0.2 * inner, ends[1]], axis)

        return (step, shape) if shape[axis] > 4 else self.unary(at, shape)

    def changed(self, at, shape):
        """An array with a part added to, or put in another one's place."""
        part = tuple([slice(int(self.rng.integers(2)), n - int(self.rng.integers(2))) for n in shape])
        adds = self.rng.random() < 0.6

        def step(values, args):
            x = values[at]
            new = 0.5 * fnp.sin(x[part])
            return x.at[part].add(new) if adds else x.at[part].set(new)

        return step, shape

    def cut(self, at, shape):
        axis = self.axis(shape)
        step = int(self.rng.choice([1, 2, 3, -1, -2]))
        part = slice(int(self.rng.integers(2)), None, step) if step > 0 else slice(None, None, step)
        length = len(range(*part.indices(shape[axis])))
        if length < 5:
            return self.unary(at, shape)
        index = (*[slice(None)] * axis, part)
        return lambda values, args: values[at][index], (*shape[:axis], length, *shape[axis + 1 :])

    def differences(self, at, shape):
        axis = self.axis(shape)
        if shape[axis] < 5:
            return self.unary(at, shape)
        made = (*shape[:axis], shape[axis] - 1, *shape[axis + 1 :])
        return lambda values, args: fnp.diff(values[at], axis=axis), made

    def __call__(self, *args):
        return fg.value_and_grad(self._sum, tuple(range(len(args))))(*args) if self.differentiated else self._run(args)

    def _sum(self, *args):
        return sum([fnp.sum(fnp.sin(y)) for y in self._run(args)])

    def _run(self, args):
        values = [fnp.asarray(args[0])]
        for step in self.steps:
            values.append(step(values, args))
        return [values[k] for k in self.outs]
