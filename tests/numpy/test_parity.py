"""funcgrad.numpy beside NumPy: names, signatures, results, errors and gradients of one table of calls.

Each call of the table is made on many operands and in three ways: funcgrad's function on NumPy's data, NumPy's function
on an Array, and NumPy's function on a tracer. Value, shape, dtype and container must be NumPy's, and the exception,
where there is one. What the call returns is unwritable, keeps its values when the caller writes into the operand, and
has the derivative that finite differences give.
"""

import inspect

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import FuncgradError, LostTraceError

RNG = np.random.default_rng(0)
OPERANDS = {
    "0-d": np.array(0.6),
    "number": 0.7,
    "integer": 3,
    "vector": RNG.uniform(0.1, 0.9, 4),
    "matrix": RNG.uniform(0.1, 0.9, (3, 4)),
    "square": RNG.uniform(-0.9, 0.9, (3, 3)),
    "cube": RNG.uniform(-0.9, 0.9, (2, 3, 4)),
    "strided": RNG.uniform(-0.9, 0.9, (6, 8))[::-2, ::2],
    "empty": np.zeros((0, 3)),
    "int": np.array([[3, 1, 2], [0, 5, 4]]),
    "uint8": np.array([3, 1, 200], np.uint8),
    "bool": np.array([[True, False], [True, True]]),
    "float32": RNG.uniform(0.1, 0.9, (3, 2)).astype("f4"),
    "complex": RNG.normal(size=(3, 2)) + 1j * RNG.normal(size=(3, 2)),
    "nan": np.array([0.3, np.nan, 0.1]),
    "list": [[0.1, 0.2], [0.3, 0.4]],
}

REDUCTIONS = "sum prod max min ptp all any nansum nanprod nanmax nanmin argmax argmin count_nonzero"
MEANS = "mean var std nanmean nanvar nanstd median nanmedian average"
CALLS = [
    *[f"m.{f}({args})" for f in REDUCTIONS.split() for args in ("x", "x, 0", "x, axis=-1, keepdims=True", "x, axis=5")],
    *[f"m.{f}({args})" for f in MEANS.split() for args in ("x", "x, keepdims=True", "x, (), keepdims=True", "x, axis=5")],
    *[f"m.{f}(x, {args})" for f in "sum prod max min".split() for args in ("axis=(0, -1)", "0, initial=2", "initial=1.5")],
    *[f"m.{f}(x, {args})" for f in "sum prod nansum mean".split() for args in ("dtype='f4'", "None, int", "axis=(0, 0)")],
    *[f"m.{f}(x, where=mask(x))" for f in "sum prod mean any all var".split()],
    *[f"m.{f}(x{args})" for f in "cumsum cumprod nancumsum".split() for args in ("", ", 0", ", axis=-1, dtype='f4'", ", 7")],
    *[f"m.{f}(x)" for f in "ravel transpose matrix_transpose copy flip flipud fliplr rot90 atleast_1d atleast_2d".split()],
    *[f"m.{f}(x)" for f in "real imag angle isreal iscomplex nan_to_num sinc unwrap sort diagonal diag tril triu".split()],
    *[f"m.{f}(x)" for f in "diff ediff1d gradient trapezoid nonzero argwhere unique unique_all zeros_like cov".split()],
    *[f"m.{f}(x)" for f in "corrcoef vander broadcast_arrays hstack vstack dstack column_stack stack size ndim".split()],
    *[f"m.{f}(x)" for f in "exp sqrt sign abs conj square negative isnan floor logical_not reciprocal cbrt".split()],
    *[f"m.{f}(x, {y})" for f in "add power divide maximum arctan2 less".split() for y in ("x", "2", "m.ravel(x)[:1]")],
    "m.reshape(x, -1)", "m.reshape(x, (2, -1), order='F')", "m.reshape(x, 7)", "m.ravel(x, 'F')", "m.transpose(x, (1, 0))",
    "m.expand_dims(x, (0, -1))", "m.swapaxes(x, 0, -1)", "m.moveaxis(x, [0, 1], [1, 0])", "m.roll(x, (1, 2), (0, -1))",
    "m.roll(x, -5)", "m.repeat(x, 2)", "m.repeat(x, 2, axis=-1)", "m.tile(x, (2, 1, 2))", "m.broadcast_to(x, (2, 3, 4))",
    "m.array_split(x, 2, axis=-1)", "m.split(x, [1], axis=0)", "m.concatenate([x, x], axis=-1)", "m.stack([x, x], -1)",
    "m.concatenate([x, x], axis=None, dtype='f4')", "m.block([[x, x], [x, x]])", "m.append(x, x, axis=0)",
    "m.insert(x, 1, 7.5)", "m.insert(x, [0, 1], 7, axis=-1)", "m.delete(x, 0, axis=0)", "m.take(x, [0, -1], axis=0)",
    "m.take(x, [5, -7], mode='wrap')", "m.take(x, 100)", "m.compress([False, True], x, axis=-1)",
    "m.where(mask(x), x, 0)", "m.select([mask(x)], [x], default=7)", "m.clip(x, 0.2, 0.5)", "m.clip(x, None, 1)",
    "m.piecewise(x, mask(x), [lambda v: v * 2, 1])", "m.round(x, 1)", "m.nan_to_num(x, True, 5, 6, 7)",
    "m.sort(x, None)", "m.argsort(x, None, kind='stable')", "m.partition(x, 1)", "m.searchsorted([0.1, 0.5], x)",
    "m.isin(x, [1, 0.5])", "m.diff(x, 2)", "m.diff(x, prepend=0)", "m.diff(x, append=x, axis=0)", "m.gradient(x, 2.0)",
    "m.trapezoid(x, dx=0.5)", "m.percentile(x, 30)", "m.quantile(x, [0.2, 0.5], axis=0)", "m.nanpercentile(x, 40)",
    "m.pad(x, 1)", "m.pad(x, ((1, 2),), constant_values=5)", "m.pad(x, 2, 'reflect')", "m.pad(x, 1, 'linear_ramp')",
    "m.pad(x, 1, 'mean')", "m.full_like(x, 2.7)", "m.linspace(x, 2, 3)", "m.linspace(0, x, 4, axis=-1)",
    "m.linspace(x, 3, 1, retstep=True)", "m.logspace(x, 1, 3)", "m.geomspace(1, 2 + m.sum(x), 3)", "m.dot(x, x)",
    "m.inner(x, x)", "m.outer(x, x)", "m.matmul(x, m.swapaxes(x, -1, -2))", "m.matmul(x, 2)", "m.tensordot(x, x, 0)",
    "m.kron(x, [1, 2])", "m.cross(x, [1, 2, 3])", "m.vecdot(x, x)", "m.einsum('...i->...', x)", "m.einsum('ij,ij', x, x)",
    "m.convolve(x, [1.0, 2, 3], 'same')", "m.cov(x, ddof=0)", "m.histogram(x, 3, weights=x)", "m.histogram(x, [0, 1, 2])",
    "m.histogram2d(m.ravel(x), m.ravel(x), 3, density=True)", "m.interp(x, [0, 1], [2, 5], left=-1)", "m.polyval(x, 2.0)",
    "m.polyval([1, 2, 3], x)", "m.polymul(x, [1, 2])", "m.average(x, weights=x)", "m.average(x, -1, returned=True)",
    "m.meshgrid(x, [1, 2])", "m.apply_along_axis(m.sum, 0, x)", "m.isclose(x, 0.5)", "m.astype(x, 'f4')", "m.shape(x)",
    "m.can_cast(x, int)", "m.result_type(x, 'f4')", "m.argmax(x, axis=0)", "m.count_nonzero(x, axis=(0,))",
    "m.fft.fft(x)", "m.fft.rfft(x, axis=0)", "m.linalg.norm(x)", "m.linalg.norm(x, axis=-1)", "m.linalg.det(x)",
    "m.linalg.inv(x)", "m.linalg.matrix_power(x, 2)", "m.linalg.svdvals(x)", "m.linalg.vector_norm(x, ord=3)",
    *[f"np.{f}.reduce(x{args})" for f in ("add", "multiply", "maximum", "hypot") for args in ("", ", None", ", -1", ", 0, 'f4'")],
    *[f"np.{f}.accumulate(x)" for f in ("add", "maximum", "subtract", "logaddexp")], "np.add.outer(x, x)",
    "np.add.reduceat(x, [0, 1])", "np.lib.stride_tricks.sliding_window_view(x, 2, -1)",
]  # fmt: skip

NUMBERS = ("0-d", "number", "integer")
STATED = {  # where funcgrad differs on purpose: the call, the operands, and why
    "m.median(x, (), keepdims=True)": (("empty",), "NumPy fails on the shape"),
    "m.average(x, (), keepdims=True)": (("empty",), "NumPy divides sizes"),
    "m.tril(x)": (NUMBERS, "NumPy's message is about tri()"),
    "m.triu(x)": (NUMBERS, "NumPy's message is about tri()"),
    "m.gradient(x)": (("bool",), "booleans count as numbers"),
    "m.gradient(x, 2.0)": (("bool",), "booleans count as numbers"),
    "m.array_split(x, 2, axis=-1)": (("number", "integer"), "AxisError, as for an array of no axis"),
    "m.split(x, [1], axis=0)": (("number", "integer"), "AxisError, as for an array of no axis"),
    "m.percentile(x, 30)": (("empty",), "ValueError that names the axis, instead of an IndexError from inside"),
    "m.quantile(x, [0.2, 0.5], axis=0)": ((*NUMBERS, "empty"), "numbers are reduced along axis 0; ValueError as above"),
    "m.histogram(x, 3, weights=x)": (("bool",), "the sum of boolean weights is a number"),
    "m.polyval(x, 2.0)": (NUMBERS, "ValueError: there is no vector"),
    "m.average(x, -1, returned=True)": ((*NUMBERS, "empty"), "numbers are reduced along axis -1; 0 weights of no values"),
    "m.astype(x, 'f4')": (("number", "integer", "list"), "takes whatever becomes an array"),
    "np.add.accumulate(x)": (("0-d",), "AxisError"),
    "np.maximum.accumulate(x)": (("0-d",), "AxisError"),
    "np.add.reduceat(x, [0, 1])": (("0-d",), "AxisError for a tracer"),
}


def mask(x):
    return np.asarray(fg.stop_gradient(x)) > 0.4


def leaves(x):
    return [leaf for e in x for leaf in leaves(e)] if isinstance(x, list | tuple) else [x]


def outcome(call, m, x):
    """What a call gives, or the exception that it raises."""
    try:
        return eval(call, {"m": m, "x": x, "np": np, "mask": mask})
    except Exception as error:
        return error


def assert_same(ours, theirs):
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), (ours, theirs)
        return
    assert not isinstance(ours, Exception), (ours, theirs)
    assert isinstance(ours, tuple) == isinstance(theirs, tuple) and isinstance(ours, list) == isinstance(theirs, list)
    assert getattr(ours, "_fields", None) == getattr(theirs, "_fields", None)
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        if isinstance(b, np.ndarray | np.generic):
            assert a.shape == b.shape and a.dtype == b.dtype, (a, b)
            rtol = 1e-5 if b.dtype.char in "fF" else 1e-2 if b.dtype.char == "e" else 1e-12
            np.testing.assert_allclose(np.asarray(fg.stop_gradient(a)), b, rtol=rtol, atol=rtol)
        else:
            assert a == b or (a != a and b != b), (a, b)


def ways(call, x):
    """The outcomes of a call: by funcgrad on NumPy's data, by NumPy on an Array, by NumPy on a tracer."""
    if call.startswith("m."):
        yield outcome(call, fnp, x)
    if isinstance(x, np.ndarray):
        yield outcome(call, np, fnp.array(x))
        if x.dtype.kind in "fc":
            seen = []
            fg.vjp(lambda t: (seen.append(outcome(call, np, t)), fnp.sum(t))[1], x)
            yield seen[0]


@pytest.mark.filterwarnings("ignore")  # both warn: of empty slices, of divisions by zero
@pytest.mark.parametrize("call", CALLS)
def test_results_and_errors(call):
    stated, _ = STATED.get(call, ((), ""))
    for name, x in OPERANDS.items():
        theirs = outcome(call, np, x)
        differs = []
        for ours in ways(call, x):
            try:
                assert_same(ours, theirs)
            except AssertionError:
                if name not in stated:
                    raise
                differs.append(name)
        assert bool(differs) == (name in stated), f"{name}: no longer a difference"


def floating(x):
    """The floating and complex leaves of a result."""
    return tuple([leaf for leaf in leaves(x) if np.dtype(getattr(leaf, "dtype", type(leaf))).kind in "fc"])


def check_against_differences(call, x, env=None):
    """Both modes of a call in its plain NumPy form against central differences of NumPy itself."""
    names = {"m": np, "np": np, "fg": fg, "mask": mask, **(env or {})}

    def f(t):
        return floating(eval(call, {**names, "x": t}))

    direction = RNG.normal(size=x.shape) + (1j * RNG.normal(size=x.shape) if x.dtype.kind == "c" else 0)
    h = 1e-6
    outs, tangents = fg.jvp(f, (x,), (direction,))
    for above, below, t in zip(f(x + h * direction), f(x - h * direction), tangents, strict=True):
        np.testing.assert_allclose(np.asarray(t), (above - below) / (2 * h), rtol=1e-5, atol=1e-6)
    weights = tuple([RNG.normal(size=y.shape).astype(y.dtype) for y in outs])
    (gradient,) = fg.vjp(f, x)[1](weights)
    forward = sum(np.sum(w * np.asarray(t)) for w, t in zip(weights, tangents, strict=True))
    np.testing.assert_allclose(np.real(np.sum(np.asarray(gradient) * direction)), np.real(forward), rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [c for c in CALLS if "f4" not in c])
def test_derivatives(call):
    for name in ("0-d", "vector", "matrix", "square", "complex"):
        x = OPERANDS[name]
        theirs = outcome(call, np, x)
        if not isinstance(theirs, Exception) and floating(theirs) and not ("std" in call and "()" in call):
            if "std" in call and x.ndim == 0:
                continue  # the deviation of one number has no derivative: nan by convention
            check_against_differences(call, x)
