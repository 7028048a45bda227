"""The samples of every primitive, and the checks that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.primitive import Primitive
from funcgrad.core.samples import Draw, Sample
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.testing.check import check_adjoint, check_grads
from funcgrad.transforms.vjp import vjp


def samples(primitive: Primitive, dtype: str) -> list[Sample]:
    """The samples of a primitive in one dtype, the same from run to run.

    Arguments:
        primitive: any in the registry.
        dtype: a one-letter code out of `primitive.dtypes`.

    Returns:
        The samples.

    Example:
        >>> from funcgrad.core.primitive import registry
        >>> from funcgrad.testing import samples
        >>> samples(registry["sin"], "f")[1]
        Sample(float32[3])
    """
    return list(primitive.samples(Draw(dtype, seed=sum(map(ord, primitive.name)))))


def as_function(primitive: Primitive, sample: Sample) -> tuple[Callable, tuple]:
    """A sample as a function of its floating and complex operands, and those operands."""
    places = [i for i, a in enumerate(sample.args) if getattr(a, "dtype", None) is not None and a.dtype.kind in "fc"]

    def f(*xs: Any) -> Any:
        full = [wrap(np.asarray(a)) if isinstance(a, np.ndarray) else a for a in sample.args]
        for i, x in zip(places, xs, strict=True):
            full[i] = x if isinstance(x, Array) else wrap(x)
        return primitive(*full, **sample.params)

    return f, tuple(sample.args[i] for i in places)


def check_shape_rule(primitive: Primitive, sample: Sample) -> None:
    """Check that the shape rule says what the implementation does.

    Raises:
        AssertionError: shape or dtype differ.
    """
    outs = primitive.impl(*sample.args, **sample.params)
    kinds = [ShapeDtypeStruct(a.shape, a.dtype) if isinstance(a, (np.ndarray, np.generic)) else a for a in sample.args]
    said = primitive.shape(*kinds, **sample.params)
    for out, kind in zip(outs if primitive.multiple else (outs,), said if primitive.multiple else (said,), strict=True):
        found = ShapeDtypeStruct(shape_of(out), np.asarray(out).dtype)
        assert kind == found, (
            f"{primitive.name}, {sample}: the shape rule says {kind}, the implementation gives {found}"
        )


def check_derivatives(primitive: Primitive, sample: Sample, order: int = 2) -> None:
    """Check both modes of a primitive on a sample in double precision: finite differences, adjoint, higher orders.

    Raises:
        AssertionError: a derivative is wrong, or a primitive that states it has none has an operand that matters.
    """
    f, args = as_function(primitive, sample)
    if not args:
        return
    try:
        check_grads(f, args, order=order)
        check_adjoint(f, args)
    except AssertionError as e:
        raise AssertionError(f"{primitive.name}, {sample}: {e}") from None


def check_precision(primitive: Primitive, sample: Sample, rtol: float = 2e-3) -> None:
    """Check that gradients in single precision have its dtype and agree with those in double precision.

    Raises:
        AssertionError: a gradient has another dtype than its operand, or another value than in double precision.
    """
    f, args = as_function(primitive, sample)
    if not args:
        return
    out, pullback = vjp(f, *args)
    rng = np.random.default_rng(0)
    outs = out if primitive.multiple else (out,)
    ws = [np.asarray(rng.standard_normal(o.shape)).astype(o.dtype) for o in outs]
    got = pullback(tuple(ws) if primitive.multiple else ws[0])
    double = Sample(*[_double(a) for a in sample.args], **{k: _double_dtype(v) for k, v in sample.params.items()})
    g, wide = as_function(primitive, double)
    out, pullback = vjp(g, *wide)
    outs = out if primitive.multiple else (out,)
    vs = [w.astype(o.dtype) for w, o in zip(ws, outs, strict=True)]
    expected = pullback(tuple(vs) if primitive.multiple else vs[0])
    for x, a, e in zip(args, got, expected, strict=True):
        assert a.dtype == x.dtype, f"{primitive.name}, {sample}: the gradient of a {x.dtype} operand is {a.dtype}"
        scale = 1 + np.max(np.abs(np.asarray(e)), initial=0.0)
        error = np.max(np.abs(np.asarray(a) - np.asarray(e)), initial=0.0)
        assert not error > rtol * scale, f"{primitive.name}, {sample}: single precision is off by {error}"


def _double(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc":
        return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    return x


def _double_dtype(x: Any) -> Any:
    if isinstance(x, np.dtype) and x.kind in "fc":
        return np.dtype(np.complex128 if x.kind == "c" else np.float64)
    return x
