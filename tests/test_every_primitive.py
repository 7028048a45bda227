"""Every primitive in the registry, on every sample of its record, in every dtype: all that must hold of any primitive.

Nothing is listed here by hand: a new primitive is tested because it is in the registry.
"""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.core.primitive import NotDifferentiable, registry
from funcgrad.core.samples import Draw
from funcgrad.errors import NotDifferentiableError
from funcgrad.testing import check_derivatives, check_precision, check_shape_rule, samples
from funcgrad.testing.samples import as_function

CASES = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes]
PRECISE = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes if c in "dD"]
COARSE = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes if c in "fF"]


def differentiates(primitive):
    """Whether it can go through a transform: a few state that asking for their derivative is a mistake."""
    rules = primitive.vjp if isinstance(primitive.vjp, tuple) else (primitive.vjp,)
    return not any(isinstance(r, NotDifferentiable) and r.raises for r in rules)


def same(a, b):
    a, b = (a if isinstance(a, tuple) else (a,)), (b if isinstance(b, tuple) else (b,))
    for x, y in zip(a, b, strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype and x.shape == y.shape
        if x.dtype.kind in "fc":  # a strided operand is copied, and BLAS rounds by the layout
            np.testing.assert_allclose(x, y, rtol=50 * np.finfo(x.dtype).eps, atol=50 * np.finfo(x.dtype).eps)
        else:
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_has_samples(primitive):
    assert primitive.dtypes, "a primitive needs at least one dtype to be tested in"
    for code in primitive.dtypes:
        assert samples(primitive, code)


@pytest.mark.parametrize("primitive, code", CASES)
def test_shape_rule_is_what_the_implementation_does(primitive, code):
    for sample in samples(primitive, code):
        check_shape_rule(primitive, sample)


@pytest.mark.parametrize("primitive, code", CASES)
def test_value_is_the_same_under_every_transform(primitive, code):
    for sample in samples(primitive, code):
        expected = primitive.impl(*sample.args, **sample.params)
        before = [np.array(a) for a in sample.args]
        f, args = as_function(primitive, sample)
        same(f(*args), expected)
        if args and differentiates(primitive):
            same(fg.vjp(f, *args)[0], expected)
            zeros = tuple(np.zeros_like(a) for a in args)
            same(fg.jvp(f, args, zeros)[0], expected)
        if args:
            tape = fg.make_tape(f)(*args)
            same(tape(*args), expected)
            namespace = {}
            exec(tape.source(), namespace)
            out = namespace["program"](*args)
            same(out if primitive.multiple else out[0], expected)
        for a, b in zip(sample.args, before, strict=True):
            np.testing.assert_array_equal(a, b, err_msg="the arguments were changed")


@pytest.mark.parametrize("primitive, code", PRECISE)
def test_derivatives_to_second_order(primitive, code):
    if primitive.name == "stop":
        pytest.skip("its derivative is zero by request, whatever differences say")
    if not differentiates(primitive):
        for sample in samples(primitive, code):
            f, args = as_function(primitive, sample)
            with pytest.raises(NotDifferentiableError, match=primitive.name):
                fg.vjp(f, *args)
        return
    for sample in samples(primitive, code):
        check_derivatives(primitive, sample)


@pytest.mark.parametrize("primitive, code", COARSE)
def test_single_precision_stays(primitive, code):
    if not primitive.differentiable:
        pytest.skip("no derivative, by statement")
    for sample in samples(primitive, code):
        check_precision(primitive, sample)


@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_exemptions_expire(primitive):
    """A primitive that states it is not differentiable has an integer result, or one that does not move."""
    rules = primitive.vjp if isinstance(primitive.vjp, tuple) else (primitive.vjp,)
    if not all(isinstance(r, NotDifferentiable) for r in rules) or primitive.name == "stop":
        pytest.skip("differentiable")
    for code in primitive.dtypes:
        if code not in "dD":
            continue
        for sample in samples(primitive, code):
            f, args = as_function(primitive, sample)
            draw = Draw(code, seed=7)
            moved = tuple(a + np.asarray(1e-9 * draw(*a.shape)) for a in args)
            outs, others = f(*args), f(*moved)
            for x, y in zip(
                outs if primitive.multiple else (outs,), others if primitive.multiple else (others,), strict=True
            ):
                if x.dtype.kind in "fc" and rules[0].raises is False:
                    np.testing.assert_allclose(x, y, atol=1e-30, err_msg="it moves: it has a derivative")
