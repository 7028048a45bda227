"""The checkers find rules that are wrong."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import (
    SAME_OPERATION,
    Draw,
    NotDifferentiable,
    Sample,
    elementwise,
    linear,
    primitive,
    registry,
)
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import ArgumentError, NotDifferentiableError
from funcgrad.testing import (
    check_adjoint,
    check_derivatives,
    check_grads,
    check_jvp,
    check_precision,
    check_shape_rule,
    check_vjp,
)

X = np.array([0.5, -1.2, 2.0])


@pytest.fixture
def declare():
    """Declare a primitive for one test, and take it out of the registry again."""
    names = set(registry)
    yield lambda kind, *args, **kwargs: kind(*args, name="wrong", **kwargs)
    for name in set(registry) - names:
        del registry[name]


def samples(draw):
    return [Sample(draw(3))]


def cube(x):
    return x**3


def test_right_rules_pass(declare):
    p = declare(primitive, cube, vjp=lambda g, x: 3 * g * x**2, jvp=lambda t, x: 3 * t * x**2, samples=samples)
    for mode in ("fwd", "rev"):
        check_grads(p, (X,), order=3, modes=(mode,))
    check_derivatives(p, Sample(X))
    check_adjoint(p, (X,))


def test_a_wrong_vjp_is_found(declare):
    p = declare(primitive, cube, vjp=lambda g, x: 2 * g * x**2, jvp=lambda t, x: 3 * t * x**2, samples=samples)
    check_jvp(p, (X,))
    with pytest.raises(AssertionError, match="rev"):
        check_vjp(p, (X,))
    with pytest.raises(AssertionError, match="disagree"):
        check_adjoint(p, (X,))


def test_a_wrong_jvp_is_found(declare):
    p = declare(primitive, cube, vjp=lambda g, x: 3 * g * x**2, jvp=lambda t, x: 3 * t * x, samples=samples)
    check_vjp(p, (X,))
    with pytest.raises(AssertionError, match="fwd"):
        check_jvp(p, (X,))


def test_a_wrong_second_derivative_is_found(declare):
    """The first derivative is right, but computed in a way that hides its dependence on x."""
    p = declare(
        primitive,
        cube,
        vjp=lambda g, x: 3 * g * fg.stop_gradient(x) ** 2,
        jvp=lambda t, x: 3 * t * fg.stop_gradient(x) ** 2,
        samples=samples,
    )
    check_grads(p, (X,), order=1)
    for modes in (("fwd",), ("rev",)):
        with pytest.raises(AssertionError):
            check_grads(p, (X,), order=2, modes=modes)


def test_one_wrong_entry_is_found(declare):
    p = declare(
        primitive,
        cube,
        vjp=lambda g, x: 3 * g * x**2 * np.array([1.0, 1.0, 1.0001]),
        jvp=lambda t, x: 3 * t * x**2,
        samples=samples,
    )
    with pytest.raises(AssertionError):
        check_vjp(p, (X,))


def test_a_wrong_transpose_is_found(declare):
    p = declare(linear, np.flip, transpose=lambda g: g, samples=samples)
    with pytest.raises(AssertionError):
        check_derivatives(p, Sample(X))


def test_a_wrong_shape_rule_is_found(declare):
    p = declare(
        primitive,
        cube,
        vjp=lambda g, x: 3 * g * x**2,
        jvp=SAME_OPERATION,
        shape=lambda x: ShapeDtypeStruct((7,), x.dtype),
        samples=samples,
    )
    with pytest.raises(AssertionError, match="shape rule"):
        check_shape_rule(p, Sample(X))


def test_lost_precision_is_found(declare):
    # np.float64(3) makes a single-precision gradient double, and `preserves` tells the walk not to look
    p = declare(
        primitive,
        cube,
        vjp=lambda g, x: np.float64(3) * g * x**2,
        jvp=lambda t, x: 3 * t * x**2,
        samples=samples,
        preserves=True,
    )
    with pytest.raises(AssertionError, match="float64"):
        check_precision(p, Sample(X.astype("f")))


def test_a_derivative_that_is_stated_to_be_missing(declare):
    p = declare(primitive, cube, vjp=NotDifferentiable("a test", raises=True), samples=samples)
    assert not p.differentiable and repr(p) == "Primitive(wrong)"
    with pytest.raises(NotDifferentiableError, match="wrong has no derivative: a test"):
        fg.grad(lambda x: p(x))(1.0)


def test_a_zero_by_statement_that_is_not_zero_is_found(declare):
    p = declare(primitive, cube, vjp=NotDifferentiable("piecewise constant"), samples=samples)
    with pytest.raises(AssertionError):
        check_derivatives(p, Sample(X))


def test_declarations_that_cannot_be_right_are_refused(declare):
    with pytest.raises(ValueError, match="already"):
        elementwise(np.sin, lambda g: g)
    with pytest.raises(TypeError, match="2 rules"):
        declare(primitive, cube, vjp=(lambda g: g, lambda g: g), jvp=lambda t: t, samples=samples)
    with pytest.raises(TypeError, match="joint"):
        declare(primitive, cube, operands=None, vjp=lambda g: g, jvp=lambda t: t, samples=samples)


def test_arguments_of_the_checkers():
    with pytest.raises(ArgumentError, match="modes"):
        check_grads(fnp.sin, (X,), modes=("sideways",))
    with pytest.raises(ArgumentError, match="double precision"):
        check_grads(fnp.sin, (X.astype("f"),))


def test_kinks_are_found():
    with pytest.raises(AssertionError):
        check_grads(fnp.abs, (np.array([1e-4]),))


def test_draws_are_reproducible_and_apart():
    assert Draw("d")(3).tolist() == Draw("d")(3).tolist()
    values = np.sort(Draw("d").apart(4, 5).ravel())
    assert np.diff(values).min() > 0.1
    assert Draw("F")(2).dtype == np.complex64
