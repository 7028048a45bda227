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
    Zero,
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
    p = declare(primitive, cube, vjp=NotDifferentiable("a test"), samples=samples)
    assert not p.differentiable and repr(p) == "Primitive(wrong)"
    with pytest.raises(NotDifferentiableError, match=r"wrong has no derivative: a test\. custom_jvp and"):
        fg.grad(p)(1.0)


def test_an_operand_without_a_formula_raises_in_every_transform(declare):
    """The other operand is differentiated as before, and the error names the one that is not."""
    rules = (NotDifferentiable("no formula is known"), lambda g, x, y: g * x * np.cos(y))
    p = declare(
        primitive,
        lambda x, y: x * np.sin(y),
        operands="x y",
        vjp=rules,
        jvp=rules,
        samples=lambda draw: [Sample(draw(3), draw(3))],
    )
    x, y = 1.5, 0.3
    np.testing.assert_allclose(fg.grad(p, 1)(x, y), 1.5 * np.cos(0.3), rtol=1e-14)
    text = r"wrong has no derivative with respect to its operand x: no formula is known\. custom_jvp.*stop_gradient"
    for f in (
        lambda: fg.grad(p)(x, y),
        lambda: fg.grad(p, (0, 1))(x, y),
        lambda: fg.jvp(p, (x, y), (1.0, 0.0)),
        lambda: fg.linearize(lambda x: p(x, y), x),
        lambda: fg.jit(fg.grad(p))(x, y),
        lambda: fg.grad(fg.jit(p))(x, y),
        lambda: fg.vmap(fg.grad(p))(np.ones(2), np.ones(2)),
        lambda: fg.grad(lambda x: fg.vmap(p)(x, np.ones(2)).sum())(np.ones(2)),
        lambda: fg.jacfwd(fg.grad(p, 1))(x, y),
        lambda: fg.grad(fg.checkpoint(p))(x, y),
        lambda: fg.linear_transpose(lambda x: p(x, y), x),
    ):
        with pytest.raises(NotDifferentiableError, match=text):
            f()
    assert fg.grad(lambda x, y: p(fg.stop_gradient(x), y))(x, y) == 0  # a zero that the user states


def test_a_record_that_says_nothing_of_an_operand_is_refused(declare):
    with pytest.raises(TypeError, match="wrong: operand 0 must have a rule in each mode, or a statement, Zero"):
        declare(primitive, cube, vjp=lambda g, x: 3 * g * x**2, samples=samples)
    with pytest.raises(TypeError, match="0 rules"):
        declare(elementwise, np.cbrt)
    with pytest.raises(TypeError, match="the modes must state the same of the operand x, got <function"):
        declare(primitive, cube, vjp=lambda g, x: 3 * g * x**2, jvp=Zero("a test"), samples=samples)


def test_a_zero_by_statement_that_is_not_zero_is_found(declare):
    p = declare(primitive, cube, vjp=Zero("piecewise constant"), samples=samples)
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


def product_of_three(x, y, z):
    return x * y * z


def test_an_elementwise_operation_of_three_operands_has_samples(declare):
    rules = (lambda g, y, z: g * y * z, lambda g, x, z: g * x * z, lambda g, x, y: g * x * y)
    p = declare(elementwise, product_of_three, *rules, low=1.0)
    found = list(p.samples(Draw(np.float64)))
    assert found and all(len(s.args) == 3 and all((a >= 1).all() for a in s.args) for s in found)
    for s in found:
        assert p(*s.args).shape == np.broadcast_shapes(*[a.shape for a in s.args])
        check_derivatives(p, s)


def test_more_than_three_operands_are_named(declare):
    rules = [lambda g: g] * 4
    with pytest.raises(TypeError, match="has 4 operands, of which only three have names"):
        declare(elementwise, lambda a, b, c, d: a + b + c + d, *rules)
    p = declare(elementwise, lambda a, b, c, d: a + b + c + d, *rules, operands="a b c d")
    assert p.operands == ("a", "b", "c", "d") and all(len(s.args) == 4 for s in p.samples(Draw(np.float64)))
