"""Samples of primitives as functions."""

import numpy as np


def of_arrays(primitive, sample):
    """A sample as a function of all its array operands, integers among them, and those."""
    places = [i for i, a in enumerate(sample.args) if isinstance(a, np.ndarray)]

    def f(*xs):
        full = list(sample.args)
        for i, x in zip(places, xs, strict=True):
            full[i] = x
        return primitive(*full, **sample.params)

    return f, [sample.args[i] for i in places]
