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
from funcgrad.errors import ArgumentError, ImmutableArrayError, LostTraceError, UnsupportedError
from funcgrad.ops.elements import is_objects

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


def calls(text):
    """The calls in a text, which semicolons separate."""
    return [call.strip() for call in text.split(";")]


def each(functions, *arguments, form="m.{}({})"):
    """A call for each of several functions, in words, with each of some arguments."""
    return [form.format(f, a) for f in functions.split() for a in arguments]


MEANS = "mean var std nanmean nanvar nanstd median nanmedian average"
CALLS = [
    *each("sum prod max min ptp all any nansum nanprod nanmax nanmin", "x", "x, 0", "x, axis=-1, keepdims=True"),
    *each("argmax argmin count_nonzero", "x", "x, 0", "x, axis=-1, keepdims=True", "x, axis=5"),
    *each(MEANS, "x", "x, keepdims=True", "x, (), keepdims=True", "x, axis=5"),
    *each("sum prod max min", "x, axis=(0, -1)", "x, 0, initial=2", "x, initial=1.5", "x, axis=5"),
    *each("sum prod nansum mean", "x, dtype='f4'", "x, None, int", "x, axis=(0, 0)"),
    *each("sum prod mean any all var", "x, where=mask(x)"),
    *each("cumsum cumprod nancumsum", "x", "x, 0", "x, axis=-1, dtype='f4'", "x, 7"),
    *each("ravel transpose matrix_transpose copy flip flipud fliplr rot90 atleast_1d atleast_2d real imag angle", "x"),
    *each("isreal iscomplex nan_to_num sinc unwrap sort diagonal diag tril triu diff ediff1d gradient trapezoid", "x"),
    *each("nonzero argwhere unique unique_all zeros_like cov corrcoef vander broadcast_arrays hstack vstack", "x"),
    *each("dstack column_stack stack size ndim exp sqrt sign abs conj square negative isnan floor logical_not", "x"),
    *each("reciprocal cbrt", "x"),
    *each("add power divide maximum arctan2 less", "x, x", "x, 2", "x, m.ravel(x)[:1]"),
    *each("add multiply maximum hypot", "x", "x, None", "x, -1", "x, 0, 'f4'", form="np.{}.reduce({})"),
    *each("add maximum subtract logaddexp", "x", form="np.{}.accumulate({})"),
    *calls("""
    m.reshape(x, -1); m.reshape(x, (2, -1), order='F'); m.reshape(x, 7); m.ravel(x, 'F'); m.transpose(x, (1, 0));
    m.expand_dims(x, (0, -1)); m.swapaxes(x, 0, -1); m.moveaxis(x, [0, 1], [1, 0]); m.roll(x, (1, 2), (0, -1));
    m.roll(x, -5); m.repeat(x, 2); m.repeat(x, 2, axis=-1); m.tile(x, (2, 1, 2)); m.broadcast_to(x, (2, 3, 4));
    m.array_split(x, 2, axis=-1); m.split(x, [1], axis=0); m.concatenate([x, x], axis=-1); m.stack([x, x], -1);
    m.concatenate([x, x], axis=None, dtype='f4'); m.block([[x, x], [x, x]]); m.append(x, x, axis=0);
    m.insert(x, 1, 7.5);
    m.insert(x, [0, 1], 7, axis=-1); m.delete(x, 0, axis=0); m.take(x, [0, -1], axis=0);
    m.take(x, [5, -7], mode='wrap');
    m.take(x, 100); m.compress([False, True], x, axis=-1); m.where(mask(x), x, 0); m.select([mask(x)], [x], default=7);
    m.clip(x, 0.2, 0.5); m.clip(x, None, 1); m.piecewise(x, mask(x), [lambda v: v * 2, 1]); m.round(x, 1);
    m.nan_to_num(x, True, 5, 6, 7); m.sort(x, None); m.argsort(x, None, kind='stable'); m.partition(x, 1);
    m.searchsorted([0.1, 0.5], x); m.isin(x, [1, 0.5]); m.diff(x, 2); m.diff(x, prepend=0); m.diff(x, append=x, axis=0);
    m.gradient(x, 2.0); m.trapezoid(x, dx=0.5); m.percentile(x, 30); m.quantile(x, [0.2, 0.5], axis=0);
    m.nanpercentile(x, 40); m.pad(x, 1); m.pad(x, ((1, 2),), constant_values=5); m.pad(x, 2, 'reflect');
    m.pad(x, 1, 'linear_ramp'); m.pad(x, 1, 'mean'); m.full_like(x, 2.7); m.linspace(x, 2, 3);
    m.linspace(0, x, 4, axis=-1); m.linspace(x, 3, 1, retstep=True); m.logspace(x, 1, 3);
    m.geomspace(1, 2 + m.sum(x), 3); m.dot(x, x); m.inner(x, x); m.outer(x, x); m.matmul(x, m.swapaxes(x, -1, -2));
    m.matmul(x, 2); m.tensordot(x, x, 0); m.kron(x, [1, 2]); m.cross(x, [1, 2, 3]); m.vecdot(x, x);
    m.einsum('...i->...', x); m.einsum('ij,ij', x, x); m.convolve(x, [1.0, 2, 3], 'same'); m.cov(x, ddof=0);
    m.histogram(x, 3, weights=x); m.histogram(x, [0, 1, 2]); m.histogram2d(m.ravel(x), m.ravel(x), 3, density=True);
    m.interp(x, [0, 1], [2, 5], left=-1); m.polyval(x, 2.0); m.polyval([1, 2, 3], x); m.polymul(x, [1, 2]);
    m.average(x, weights=x); m.average(x, -1, returned=True); m.meshgrid(x, [1, 2]); m.apply_along_axis(m.sum, 0, x);
    m.isclose(x, 0.5); m.astype(x, 'f4'); m.shape(x); m.can_cast(x, int); m.result_type(x, 'f4');
    m.count_nonzero(x, axis=(0,)); m.fft.fft(x); m.fft.rfft(x, axis=0); m.linalg.norm(x); m.linalg.norm(x, axis=-1);
    m.linalg.det(x); m.linalg.inv(x); m.linalg.matrix_power(x, 2); m.linalg.svdvals(x); m.linalg.vector_norm(x, ord=3);
    np.add.outer(x, x); np.add.reduceat(x, [0, 1]); np.lib.stride_tricks.sliding_window_view(x, 2, -1)
    """),
]
NUMBERS = ("0-d", "number", "integer")
LATER = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
if LATER:  # NumPy no longer takes vectors of the plane there, which it had deprecated; funcgrad still does
    CALLS.remove("m.cross(x, [1, 2, 3])")
STATED = {  # where funcgrad differs on purpose: the call, the operands, and why
    "m.median(x, (), keepdims=True)": (() if LATER else ("empty",), "NumPy 2.4 fails on the shape"),
    "m.average(x, (), keepdims=True)": (("empty",), "NumPy divides sizes"),
    "m.gradient(x)": (("bool",), "booleans count as numbers"),
    "m.gradient(x, 2.0)": (("bool",), "booleans count as numbers"),
    "m.array_split(x, 2, axis=-1)": (("number", "integer"), "AxisError, as for an array of no axis"),
    "m.split(x, [1], axis=0)": (("number", "integer"), "AxisError, as for an array of no axis"),
    "m.percentile(x, 30)": (("empty",), "ValueError that names the axis, instead of an IndexError from inside"),
    "m.quantile(x, [0.2, 0.5], axis=0)": ((*NUMBERS, "empty"), "numbers are reduced along axis 0; ValueError as above"),
    "m.histogram(x, 3, weights=x)": (("bool",), "the sum of boolean weights is a number"),
    "m.polyval(x, 2.0)": (NUMBERS, "ValueError: there is no vector"),
    "m.average(x, -1, returned=True)": (
        (*NUMBERS, "empty"),
        "numbers are reduced along axis -1; 0 weights of no values",
    ),
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
    except Exception as error:  # which is what is compared
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
            np.testing.assert_allclose(np.asarray(a), b, rtol=rtol, atol=rtol)
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
            fg.vjp(lambda t: (seen.append(fg.stop_gradient(outcome(call, np, t))), fnp.sum(t))[1], x)
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
    """The floating and complex leaves of a result; under a transform arrays of objects, which hold traced numbers."""
    return tuple(
        [leaf for leaf in leaves(x) if np.dtype(getattr(leaf, "dtype", type(leaf))).kind in "fc" or is_objects(leaf)]
    )


def check_against_differences(call, x, m=np, **names):
    """Both modes of a call, by functions of m, against central differences of NumPy itself."""

    def f(t):
        module = m if isinstance(t, fg.Array) else np
        return floating(eval(call, {"m": module, "np": np, "mask": mask, "x": t, **names}))

    direction = RNG.normal(size=x.shape) + (1j * RNG.normal(size=x.shape) if x.dtype.kind == "c" else 0)
    h = 1e-6
    outs, tangents = fg.jvp(f, (x,), (direction,))
    for above, below, t in zip(f(x + h * direction), f(x - h * direction), tangents, strict=True):
        np.testing.assert_allclose(np.asarray(t), (above - below) / (2 * h), rtol=1e-5, atol=1e-6)
    weights = tuple([RNG.normal(size=y.shape).astype(y.dtype) for y in outs])
    (gradient,) = fg.vjp(f, x)[1](weights)
    forward = sum(np.sum(w * np.asarray(t)) for w, t in zip(weights, tangents, strict=True))
    np.testing.assert_allclose(
        np.real(np.sum(np.asarray(gradient) * direction)), np.real(forward), rtol=1e-9, atol=1e-9
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [c for c in CALLS if "f4" not in c and "retstep" not in c])
def test_derivatives(call):
    for name in ("0-d", "vector", "matrix", "square", "complex"):
        x = OPERANDS[name]
        theirs = outcome(call, np, x)
        one = "std" in call and ("()" in call or x.ndim == 0)  # the deviation of one number: nan by convention
        if not isinstance(theirs, Exception) and floating(theirs) and not one:
            check_against_differences(call, x)


# Calls in which the operand is one of the other arguments, or an element of a list. NumPy asks its protocols about the
# main arguments only, and does not look into lists: then the plain form is an error, and never a gradient of zero.
V, A, B = OPERANDS["vector"], OPERANDS["matrix"], RNG.uniform(0.2, 0.9, (3, 4))
HOLES = np.array([0.3, np.nan, np.inf, 0.5])
NEAR = np.linspace(0.0, 1.0, 4)
CONSTANTS = {"V": V, "A": A, "B": B, "HOLES": HOLES, "NEAR": NEAR}
OTHER_ARGUMENTS = {
    "0-d": calls("""
        m.average([x, 2.0], weights=[1.0, x]); m.sum(A, initial=x); m.prod(A, 0, initial=x); m.max(A, initial=x + 1);
        m.nansum(A, initial=x); m.interp(x, NEAR, V, left=x); m.interp(2.0, NEAR, V, right=x);
        m.interp(V, NEAR, V, period=x); m.diff(V, prepend=x, append=2 * x); m.ediff1d(V, to_end=x, to_begin=[x, 1.0]);
        m.gradient(V, x); m.gradient(A, x, 1.0); m.trapezoid(V, dx=x); m.pad(V, 1, constant_values=x);
        m.pad(A, 1, constant_values=((x, 1), (2, x))); m.pad(V, 2, 'linear_ramp', end_values=(x, 1));
        m.where(mask(A), x, 2 * x); m.where([True, False], [x, 1], 2 * x); m.select([mask(V)], [V], default=x);
        m.piecewise(x + V, [mask(V)], [lambda v: v * x, x]); m.choose([0, 1, 0], [x, 2 * x]); m.clip(A, x, 2.0);
        m.clip(A, None, x); V.clip(x, 2.0); m.clip(A, max=x); m.nan_to_num(HOLES, nan=x, posinf=2 * x);
        m.full_like(x, x); m.full((2, 3), x); m.full_like(A, x); m.linspace(0, x, 4); m.linspace([x, 1.0], [2.0, x], 3);
        m.logspace(0, 1, 3, base=x); m.geomspace(1, x, 4); m.logspace(x, 1, 3, base=[2.0, 3.0]);
        m.logspace([0.1, 0.2], 1, 3, base=[x, 2.0]); m.vander([x, 2.0], 3); m.array([[x, 1.0], [2.0, x * x]]);
        m.stack([x, 2 * x]); m.concatenate([V, [x]]); m.hstack([x, V, 1.0]); m.vstack([x, 2.0]);
        m.column_stack([[x, 1.0], [2.0, x]]); m.block([[A, B], [x * A, B]]); m.block([x, 1.0]); m.append(V, x);
        m.append([1.0], [x, 2.0]); m.r_[x, V]; m.r_[x:2:3j]; m.c_[[x, 1.0], [2.0, x]]; m.broadcast_arrays(V, x);
        m.meshgrid(V, [x, 1.0]); m.insert(V, 1, x); m.insert(V, [0, 2], [x, 1.0]); m.repeat(x, 3); m.tile([x, 1.0], 2);
        m.polyval([x, 1.0], 2.0); m.polyval(V, x); m.polyint(V, k=x); m.polydiv(V, [1.0, x]); m.roots([1.0, x, -1.0]);
        m.poly([x, 1.0]); m.quantile(V, x); m.percentile(V, [100 * x, 5]); m.median([x, 1.0, 0.1]);
        m.histogram(V, 3, range=(x - 0.3, 1.0), density=True);
        m.histogram2d(V, V, 2, range=[[x, 1], [0, 1]], density=True); m.dot([x, 1.0], [2.0, x]); m.kron([x, 1.0], V);
        m.einsum('i,i', [x, 1.0], [2.0, x]); m.linalg.solve([[x, 1.0], [2.0, 5.0]], [x, 1.0]);
        m.linalg.det([[x, 1.0], [2.0, x]]); m.apply_along_axis(lambda r, p: m.sum(r) * p, 0, A, x);
        m.vectorize(lambda a, b: a * b)(V, x); m.vectorize(lambda a: a * x)(V);
        m.fromfunction(lambda i, j: i * x + j, (2, 2)); m.kaiser(5, x); m.divmod(7.0, x); np.add.outer(x, V);
        np.logaddexp.reduce(x + A, initial=x); m.sin([x, 1.0]); m.sum([[x, 1.0], [2.0, x]], axis=0); m.var([x, 1.0]);
        m.cov([[x, 1.0], [2.0, x]]); m.var(A, mean=x); m.nanstd(HOLES[:2], mean=x); m.unwrap(9 * V, period=x);
        m.cumsum((x, 1.0))
    """),
    "vector": calls("""
        m.average(A, -1, weights=x); m.interp(V, NEAR, x); m.interp(V, m.cumsum(x) - 0.3, V);
        m.diff(A, prepend=x[:3, None]); m.gradient(V, m.cumsum(x)); m.trapezoid(A, x); m.where(mask(A), x, A);
        m.select([mask(A)], [x], default=A); m.clip(A, x, 2.0); m.full((2, 4), x); m.insert(A, 1, x, axis=0);
        m.polyfit(NEAR, x, 2); m.polyfit(NEAR, V, 1, w=x); m.cov(A, aweights=x); m.histogram(V, 3, weights=x);
        m.histogram([0.2, 0.4, 0.6, 0.8], m.sort(x), density=True); m.histogramdd([x, V], 2, density=True);
        m.histogram2d(V, x, 3); m.bincount([0, 1, 1, 2], x); m.quantile(V, x / 2); m.convolve(V, x);
        m.linalg.lstsq(m.reshape(A, (4, 3)), x)[0]; m.nanmean(x, where=mask(x)); m.sum(x, where=mask(x), initial=x[0]);
        m.max(x, where=mask(x), initial=x[0]); m.searchsorted(NEAR, x) * x; m.take_along_axis(x, m.argsort(x), 0);
        m.unique(x, return_inverse=True)[0]; m.union1d(x, V[:2] + 2); x[m.argmax(x)] * x;
        m.stack([e for _, e in m.ndenumerate(x)]); m.concatenate((x, [1.0, x[0]])); [*x]; sum(x); x.flat[1]
    """),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call, name", [(c, n) for n, calls in OTHER_ARGUMENTS.items() for c in calls])
def test_derivatives_by_other_arguments(call, name):
    check_against_differences(call, OPERANDS[name], fnp, **CONSTANTS)
    try:
        check_against_differences(call, OPERANDS[name], np, **CONSTANTS)
    except (LostTraceError, ImmutableArrayError, ArgumentError, UnsupportedError) as error:  # it says what to write
        assert "instead" in str(error) or "funcgrad.numpy" in str(error)


def nested(t):
    """The numbers of a traced array in nested lists."""
    return [nested(e) for e in t] if t.ndim else t


FORMS = {
    "np.array of numbers": lambda t: np.array(nested(t)),
    "np.asarray": np.asarray,
    "lists of numbers": nested,
}
OTHERWISE = {  # what NumPy makes of lists or objects is something else than of an array, and the call
    "m.block([[x, x], [x, x]])": "lists are blocks",
    "m.array_split(x, 2, axis=-1)": "lists are split along their first axis",
    "m.logical_not(x)": "booleans of type object",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["vector", "matrix", "square"])
def test_functions_on_arrays_of_objects(name, form):
    """Functions of traced numbers in an array of objects or in lists are exact, or raise with their names."""
    x, exact = OPERANDS[name], 0
    direction = np.linspace(1, 2, x.size).reshape(x.shape)

    def pushed(call, form):
        def f(t):
            names = {"m": np, "x": form(t), "np": np, "mask": lambda x: mask(fnp.asarray(x))}
            return [leaf for leaf in leaves(eval(call, names)) if isinstance(leaf, fg.Array) or is_objects(leaf)]

        return fg.jvp(f, (x,), (direction,))

    for call in CALLS:
        if call in OTHERWISE:
            continue
        try:
            expected = pushed(call, lambda t: t)
        except Exception:  # there is no derivative of this array, or none at all
            continue
        try:
            found = pushed(call, FORMS[form])
        except fg.errors.FuncgradError as error:
            function = call.partition("(")[0].removeprefix("m.").removeprefix("np.").rpartition(".")
            named = "numpy" in str(error) and (function[2] in str(error) or function[0] in str(error))
            assert named or str(error).startswith("float(x) on"), (call, error)  # a ufunc has no frame, but a line
            continue
        except TypeError:
            assert isinstance(outcome(call, np, x.tolist()), TypeError), call  # of lists that are not traced either
            continue
        for kind in (0, 1):  # values and tangents; what does not depend on x may be plain numbers there
            pairs = [p for p in zip(found[kind], expected[kind], strict=False) if p[0].dtype == p[1].dtype]
            for a, b in pairs:
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-9, atol=1e-12, err_msg=call)
            exact += bool(pairs) and kind
    assert exact > 150


def frozen(results):
    """The Arrays among results with copies of their values; whoever holds one cannot write into it."""
    arrays = [r for r in leaves(results) if isinstance(r, fg.Array)]
    for a in arrays:
        with pytest.raises(ValueError):
            np.asarray(a, copy=False).flags.writeable = True
    return [(a, np.array(a)) for a in arrays]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [c for c in CALLS if c.startswith("m.")])
def test_results_are_nobody_elses(call):
    for x in OPERANDS.values():
        if not isinstance(x, np.ndarray) or isinstance(outcome(call, np, x), Exception):
            continue
        mine = x.copy()
        kept = frozen(outcome(call, fnp, mine))
        if x.dtype.kind in "fc":
            outs, pullback = fg.vjp(lambda t: floating(outcome(call, fnp, t)), mine)
            cotangents = tuple([np.ones(y.shape, y.dtype) for y in outs])
            kept += frozen([*outs, *pullback(cotangents)])
            for c in cotangents:
                c[...] = 7
        mine[...] = ~mine if x.dtype.kind == "b" else 1 - mine
        if x.dtype.kind in "fc":  # the residuals have not changed either
            kept.append((pullback(tuple([np.ones(y.shape, y.dtype) for y in outs]))[0], kept[-1][1]))
        for array, values in kept:
            np.testing.assert_array_equal(array, values)


TEXT_FILES_DATES = """
asmatrix base_repr binary_repr bmat broadcast busday_count busday_offset busdaycalendar bytes_ character datetime64
datetime_as_string datetime_data flatiter flexible format_float_positional format_float_scientific
fromregex genfromtxt get_include getbufsize geterrcall info is_busday loadtxt matrix memmap mintypecode nditer
nested_iters object_ poly1d recarray record savetxt setbufsize seterrcall
show_config show_runtime str_ test timedelta64 typename void longdouble clongdouble float96 float128
complex192 complex256
"""


@pytest.mark.parametrize("ours, theirs", [(fnp, np), (fnp.linalg, np.linalg), (fnp.fft, np.fft)])
def test_every_function_of_numpy_is_there(ours, theirs):
    names = {n for n in dir(theirs) if n[0] != "_" and callable(getattr(theirs, n))}
    assert names - set(dir(ours)) - set(TEXT_FILES_DATES.split()) == set()


ARRAY_API = """
e inf nan newaxis pi bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type arange asarray empty empty_like eye
from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like abs acos acosh add asin asinh
atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip
conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan
less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply
negative not_equal positive pow real remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc take
argmax argmin nonzero searchsorted where matmul matrix_transpose tensordot vecdot concat expand_dims flip moveaxis
permute_dims repeat reshape roll squeeze stack tile unstack unique_all unique_counts unique_inverse unique_values
argsort sort cumulative_sum max mean min prod std sum var all any linalg.cholesky linalg.cross linalg.det
linalg.diagonal linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul linalg.matrix_norm linalg.matrix_power
linalg.matrix_rank linalg.matrix_transpose linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm fft.fft fft.ifft fft.fftn fft.ifftn
fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift
__array_api_version__ __array_namespace_info__
"""


def test_array_api_standard_of_2023():
    assert [
        n for n in ARRAY_API.split() if not hasattr(getattr(fnp, n.partition(".")[0]), n.partition(".")[2] or "__doc__")
    ] == []
    info = fnp.__array_namespace_info__()
    assert info.devices() == [info.default_device()] == [fnp.ones(1).device]
    assert info.default_dtypes()["real floating"] == fnp.ones(1).dtype
    assert set(info.dtypes(kind="complex floating")) == {"complex64", "complex128"}
    assert all(hasattr(fnp, name) for name in info.dtypes())


FURTHER = """
order dtype length inplace total_repeat_length strip_zeros size fill_value method mode precision preferred_element_type
unique_indices indices_are_sorted wrap_negative_indices assume_unique_indices trim_leading_zeros promote_integers device
unroll symmetrize_input numpy_resid subset_by_index identity descending
"""  # parameters of JAX, or of earlier and later NumPy
LACKING = {"like", "ndmax", "descending"}  # the last came with NumPy 2.5


def test_parameters_are_those_of_numpy():
    for ours, theirs in ((fnp, np), (fnp.linalg, np.linalg), (fnp.fft, np.fft)):
        for name in sorted(set(dir(ours)) & set(dir(theirs))):
            f, g = getattr(ours, name), getattr(theirs, name)
            if name[0] == "_" or not callable(f) or isinstance(g, type | np.ufunc) or name in ("arange", "fromstring"):
                continue
            a, b = inspect.signature(f).parameters, inspect.signature(g).parameters
            expected = [p for p in b if p in a or (p not in LACKING and b[p].kind != b[p].VAR_KEYWORD)]
            assert [p for p in a if p in b or p not in FURTHER.split()] == expected, name
            for p in set(a) & set(b):
                if b[p].kind != b[p].POSITIONAL_ONLY:
                    assert a[p].kind == b[p].kind, (name, p)


def test_bugs_of_ranges_and_empty_slices():
    assert fnp.median(np.array([100, 120], np.int8)) == 110.0
    assert fnp.nanmedian(np.array([1 + 2j, 3, 0])) == 1 + 2j
    assert fnp.average(np.array([200, 100], np.uint8), weights=np.array([2, 2], np.uint8)) == 150.0
    for f in (fnp.median, fnp.nanmedian):
        with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
            assert np.isnan(f(np.zeros((0, 2)), axis=0)).tolist() == [True, True]
    with pytest.raises(TypeError, match="must be inexact"):
        fnp.nanmean(np.ones(2), dtype=int)
    with pytest.raises(TypeError, match="interp takes real x"):
        fg.grad(lambda x: np.interp(x, [0.0, 1.0], [2.0, 3.0]).real, holomorphic=True)(0.5j)
    derivative = fg.jvp(fnp.i0, (np.array([0.5, np.nan]),), (np.ones(2),))[1]
    np.testing.assert_allclose(derivative, [0.2578943053908963, np.nan], rtol=1e-12)  # I_1(1/2)
    assert fg.grad(lambda x: fnp.histogram([x, 1.0, 2.0], 2)[1].sum())(0.0) == 1.5


def test_small_things():
    x = fnp.array([[1.0, 2.0], [3.0, 4.0]])
    assert 3.0 in x and 5.0 not in x
    assert x.flat[2] == 3.0 and len(x.flat) == 4
    assert x.flags.c_contiguous and fnp.isfortran(x.T) and not x.flags.writeable
    assert fg.grad(lambda t: len(np.array2string(t)) * t.sum())(x).tolist() == [[9.0 * 2, 18.0], [18.0, 18.0]]
    assert np.array_repr(x) == repr(x) and np.array_str(x) == str(x)
    with pytest.raises(TypeError, match="booleans"):
        fnp.sum(x, where=x)
    with pytest.raises(ValueError, match="infs or NaNs"):
        fnp.asarray_chkfinite([np.nan])
