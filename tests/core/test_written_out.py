"""`unary` and `binary` of a trace are `process` written out for speed: on whatever a primitive takes they do the same.

The same are value and dtype, what is recorded and kept, cotangents and tangents, and the error where there is one.
"""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.array import Array, wrap
from funcgrad.core.primitive import registry
from funcgrad.core.weak import Weak, weak
from funcgrad.numpy.protocols import primitive_of
from funcgrad.testing import samples
from funcgrad.transforms.jvp import JvpTrace, JvpTracer
from funcgrad.transforms.vjp import VjpTrace, VjpTracer
from funcgrad.transforms.vmap import BatchTrace
from funcgrad.transforms.walk import walk

PRODUCTS = ("matmul", "dot", "vecdot", "matvec", "vecmat")  # take arrays alone


def cases(n):
    """The primitives that `unary` or `binary` is called with, with the operands of their samples."""
    found = []
    for p in registry.values():
        codes = [c for c in p.dtypes if c in "fDl?"] or p.dtypes[:1]
        given = [s.args for c in codes for s in samples(p, c) if len(s.args) == n and not s.params]
        ufunc = isinstance(p.impl, np.ufunc) and primitive_of(p.impl) is p  # torch has others of the same ufuncs
        if given and (ufunc or p.name in PRODUCTS):
            found.append(pytest.param(p, given, id=p.name))
    return found


UNARY, BINARY = cases(1), cases(2)


def outcome(f, *args):
    """What a call gives, or the error that it raises."""
    with np.errstate(all="ignore"):
        try:
            return f(*args)
        except (TypeError, ValueError, ArithmeticError) as error:
            return type(error), str(error)


def wrapped(x):
    """An operand as an Array; a number stays what it is."""
    return wrap(x) if isinstance(x, np.ndarray) else x


def same(a, b):
    """The same result, to the bit."""
    assert type(a) is type(b)
    if isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, VjpTracer):
        same(a._value, b._value)
        same_equation(a._eqn, b._eqn)
    elif isinstance(a, JvpTracer):
        same((a._value, a._tangent), (b._value, b._tangent))
    elif isinstance(a, Array):
        same(a._value, b._value)
    elif isinstance(a, np.ndarray | np.generic):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
    else:
        assert a == b or a != a


def same_equation(a, b):
    """Two recordings of one operation on the same operands."""
    if a.plan is not b.plan and a.picks is None:
        assert a.plan is b.plan.trusted, "one of them saw that nothing was broadcast or promoted"
        assert {(i.shape, i.dtype) for i in a.inputs} == {(a.shape, a.dtype)}
    if a.picks is not None:  # one of several results
        assert a.picks == b.picks
        a, b = a.operation, b.operation
    assert (a.inputs, a.params, a.shape, a.dtype, a.plan.names) == (b.inputs, b.params, b.shape, b.dtype, b.plan.names)
    same(a.residuals, b.residuals)
    same(cotangents_of(a), cotangents_of(b))
    if b.plan.single:  # for one operand the loop of the walk is written out, too
        plan = b.plan
        b.plan = plan.but(single=False, pull=lambda g, kept: (plan.pull(g, kept),))
        same(cotangents_of(a), cotangents_of(b))


def cotangents_of(e):
    """What the operands of an operation get for a cotangent of its result; none if it has several."""
    if isinstance(e.shape, tuple) and e.shape and isinstance(e.shape[0], tuple):
        return ()
    cotangents = {e: np.full(e.shape, 0.75, e.dtype)}
    with np.errstate(all="ignore"):
        walk([e, *dict.fromkeys(e.inputs)], cotangents)
    return tuple([cotangents.get(i) for i in e.inputs])


def tracers(trace):
    """For a trace that is running a function that gives a tracer for a value, or None if it has none for such."""
    rng = np.random.default_rng(0)

    def differentiated(x):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
            return None
        tangent = rng.normal(size=x.shape).astype(x.dtype)
        return trace.input(x) if isinstance(trace, VjpTrace) else trace.tracer(x, tangent)

    def batched(x):
        return trace.tracer(np.stack([x, x, x])) if isinstance(x, np.ndarray) else None

    return batched if isinstance(trace, BatchTrace) else differentiated


TRACES = [lambda: VjpTrace("vjp"), lambda: JvpTrace("jvp"), lambda: BatchTrace("vmap", 3)]
GENERAL = {VjpTrace: VjpTrace.general, JvpTrace: JvpTrace.process, BatchTrace: BatchTrace.process}


@pytest.mark.parametrize("primitive, given", UNARY)
def test_one_operand(primitive, given):
    for (x,) in given:
        array = wrap(x)
        same(outcome(array._trace.unary, primitive, array), outcome(array._trace.process, primitive, (array,), {}))
        for make in TRACES:
            with make() as trace:
                t = tracers(trace)(x)
                if t is not None:
                    general = outcome(GENERAL[type(trace)], trace, primitive, (t,), {})
                    same(outcome(trace.unary, primitive, t), general)


@pytest.mark.parametrize("primitive, given", BINARY)
def test_two_operands(primitive, given):
    numbers = () if primitive.name in PRODUCTS else (2, 0.5, np.float32(2), [1.0])
    for x, y in given:
        trace, a, b = Array._trace, wrapped(x), wrapped(y)
        for pair in ((a, b), (a, y), (x, b), *[(a, n) for n in numbers], *[(n, b) for n in numbers]):
            same(outcome(trace.binary, primitive, *pair), outcome(trace.process, primitive, pair, {}))
        for make in TRACES:
            with make() as trace:
                t, u = map(tracers(trace), (x, y))
                pairs = [] if t is None else [(t, b), (t, y), *[(t, n) for n in numbers]]
                pairs += [] if u is None else [(a, u), (x, u), *[(n, u) for n in numbers]]
                pairs += [] if t is None or u is None else [(t, u), (u, t)]
                for pair in pairs:
                    general = outcome(GENERAL[type(trace)], trace, primitive, pair, {})
                    same(outcome(trace.binary, primitive, *pair), general)


def test_a_number_does_not_widen_a_gradient():
    x = np.float32([1, -2])
    gradient = fg.grad(lambda x: fnp.sum(fnp.copysign(x, -3.0)))(x)
    assert gradient.dtype == np.float32
    np.testing.assert_array_equal(gradient, [-1.0, 1.0])


@pytest.mark.parametrize("primitive, given", [p for p in BINARY if p.id not in PRODUCTS])
def test_numbers_without_a_dtype(primitive, given):
    for number in (2, 0.5, 1j):
        for other in (3, 1.5, weak(2), weak(0.25), wrap(np.float32([1, 2])), np.float32([1, 2]), [1.0], *given[0]):
            for pair in ((weak(number), other), (other, weak(number))):
                general = outcome(Weak._trace.process, primitive, pair, {})
                same(outcome(Weak._trace.binary, primitive, *pair), general)
