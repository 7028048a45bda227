"""Operands that are ndarrays, but not plain ones of numbers."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import registry
from funcgrad.errors import ArgumentError, FuncgradError
from funcgrad.testing.samples import samples


class Labelled(np.ndarray):
    """A subclass that computes as ndarray does, as np.memmap."""


def test_a_memory_map_is_written_to_afterwards(tmp_path):
    data = np.memmap(tmp_path / "data", dtype=float, mode="w+", shape=(3,))
    data[:] = 2.0
    _, pullback = fg.vjp(lambda x: fnp.sum(x * data), np.ones(3))
    tape = fg.make_tape(lambda x: x * data)(np.ones(3))
    _, own = fg.vjp(lambda x: fnp.sum(x * x), data)
    data[:] = 100.0
    assert pullback(1.0)[0].tolist() == tape(np.ones(3)).tolist() == [2.0] * 3
    assert own(1.0)[0].tolist() == [4.0] * 3


TWO = sorted(n for n, p in registry.items() if p.differentiable and "d" in p.dtypes and n not in ("pinv", "nextafter"))


@pytest.mark.parametrize("kind", [np.ndarray, Labelled])
@pytest.mark.parametrize("name", TWO)
def test_operands_that_are_not_differentiated_may_be_written_to(name, kind):
    """Each operand in turn is differentiated, the others are the caller's, who overwrites them inside f or later."""
    primitive = registry[name]
    for sample in samples(primitive, "d"):
        arrays = [i for i, a in enumerate(sample.args) if isinstance(a, np.ndarray)]
        for k in arrays if len(arrays) > 1 else []:
            if sample.args[k].dtype.kind != "f":
                continue

            def run(transform, when, sample=sample, arrays=arrays, k=k):
                args = list(sample.args)
                for i in arrays:
                    args[i] = np.array(args[i]).view(kind)

                def spoil():
                    for i in arrays:
                        if i != k:
                            args[i][...] = 0 if args[i].dtype.kind != "f" else 7.5

                def f(x):
                    out = primitive(*args[:k], x, *args[k + 1 :], **sample.params)
                    if when == "inside":
                        spoil()
                    return out

                x = np.array(sample.args[k])
                got = transform(f, x)
                if when == "later":
                    spoil()
                    x[...] = 9.0
                return [np.array(v) for v in fg.tree.leaves(got() if callable(got) else got)]

            def reverse(f, x):
                y, pullback = fg.vjp(f, x)
                return lambda: (y, pullback(fg.tree.map(lambda o: np.ones(o.shape, o.dtype), y)))

            def forward(f, x):
                return fg.jvp(f, (x,), (np.ones_like(x),))

            def taped(f, x):
                tape, x = fg.make_tape(f)(x), x.copy()
                return lambda: tape(x)

            with np.errstate(all="ignore"):
                for transform in (reverse, forward, taped):
                    expected = run(transform, "never")
                    for when in ("inside", "later"):
                        for a, b in zip(expected, run(transform, when), strict=True):
                            assert a.tobytes() == b.tobytes(), (transform.__name__, when, sample, k)


STRANGE = {
    "objects": np.array([1.0, 2.0], object),
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "matrix": np.array([[1.0, 2.0]]).view(np.matrix),
    "text": np.array(["a", "b"]),
}


@pytest.mark.parametrize("name", STRANGE)
def test_arithmetic_that_would_be_lost_is_refused(name):
    strange, x = STRANGE[name], np.ones(2)
    always = [lambda: fg.Array(x) * strange, lambda: fg.Array(strange), lambda: fg.grad(lambda p: 1.0)(strange)]
    within = [
        lambda: fg.grad(lambda x: fnp.sum(x * strange))(x),
        lambda: fg.grad(lambda x: fnp.sum(np.multiply(strange, x)))(x),
        lambda: fg.jvp(lambda x: x * strange, (x,), (x,)),
        lambda: fg.make_tape(lambda x: x * strange)(x),
    ]
    calls = always if name == "objects" else always + within  # NumPy makes arrays of objects of traced numbers
    if name == "matrix":
        calls.append(lambda: strange * fg.Array(np.eye(2)))  # a matrix product, in NumPy
    for call in calls:
        with pytest.raises(FuncgradError):
            call()


def test_masked_says_what_to_do():
    with pytest.raises(ArgumentError, match=r"MaskedArray.*filled"):
        fg.Array(1.0) * STRANGE["masked"]
