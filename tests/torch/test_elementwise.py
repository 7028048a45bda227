"""Arithmetic, functions of one and of several numbers: values, dtypes, derivatives at singular points, errors.

What is written out here was recorded from torch 2.13.
"""

from __future__ import annotations

import operator

import numpy as np
import pytest

from funcgrad import torch

nan, inf = float("nan"), float("inf")


def gradients(f, *points):
    """The gradients of the sum of f."""
    xs = [torch.tensor(p, dtype=torch.float64, requires_grad=True) for p in points]
    f(*xs).sum().backward()
    return [x.grad.tolist() for x in xs]


AT_SINGULAR_POINTS = {
    "abs": (torch.abs, ([0.0, -0.0, nan, -2.0],), [[0, 0, 0, -1]]),
    "maximum": (torch.maximum, ([1.0, 2.0, nan, 0.0], [1.0, 1.0, 0.0, nan]), [[0.5, 1, 1, 1], [0.5, 0, 1, 1]]),
    "fmax": (torch.fmax, ([1.0, nan, 0.0], [1.0, 0.0, nan]), [[1, 0, 1], [0, 1, 0]]),
    "fmin": (torch.fmin, ([1.0, nan, 0.0], [1.0, 0.0, nan]), [[1, 0, 1], [0, 1, 0]]),
    "hypot": (torch.hypot, ([0.0, 3.0], [0.0, 4.0]), [[nan, 0.6], [nan, 0.8]]),
    "atan2": (torch.atan2, ([0.0, 1.0], [0.0, 1.0]), [[0, 0.5], [0, -0.5]]),
    "clamp": (lambda x: x.clamp(0, 1), ([0.0, 1.0, 2.0, -1.0, nan],), [[1, 1, 0, 0, 0]]),
    "relu": (torch.relu, ([0.0, -1.0, 2.0],), [[0, 0, 1]]),
    "power 0": (lambda x: x**0, ([0.0, 1.0],), [[0, 0]]),
    "power 2.5": (lambda x: x**2.5, ([0.0, 1.0],), [[0, 2.5]]),
    "pow": (torch.pow, ([0.0, 0.0, 2.0], [0.0, 2.0, 0.0]), [[0, 0, 0], [0, 0, 0.6931471805599453]]),
    "copysign": (torch.copysign, ([0.0, -2.0, 3.0], [1.0, 1.0, -1.0]), [[0, -1, -1], [0, 0, 0]]),
    "xlogy": (torch.xlogy, ([0.0, 0.0, 2.0], [0.0, 1.0, 3.0]), [[0, 0, 1.0986122886681098], [nan, 0, 2 / 3]]),
    "sqrt": (torch.sqrt, ([0.0, 4.0],), [[inf, 0.25]]),
    "nan_to_num": (torch.nan_to_num, ([nan, inf, 1.0],), [[0, 0, 1]]),
    "logit": (lambda x: torch.logit(x, 0.2), ([0.1, 0.2, 0.5],), [[0, 6.25, 4]]),
    "nextafter": (torch.nextafter, ([1.0, 2.0], [1.0, 3.0]), [[0, 1], [0, 0]]),
    "where": (lambda x: torch.where(x > 0, x.log(), x), ([0.0, 2.0],), [[nan, 0.5]]),
}


@pytest.mark.parametrize("f, points, expected", AT_SINGULAR_POINTS.values(), ids=AT_SINGULAR_POINTS)
def test_derivatives_at_ties_and_singular_points(f, points, expected):
    np.testing.assert_allclose(gradients(f, *points), expected, rtol=1e-12)


NODES = {
    "AddBackward0": lambda x, y: x + y,
    "SubBackward0": lambda x, y: x - 1,
    "RsubBackward1": lambda x, y: 1 - x,
    "MulBackward0": lambda x, y: 2 / x,
    "DivBackward0": lambda x, y: x / y,
    "DivBackward2": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "NotImplemented": lambda x, y: x // y,
    "RemainderBackward0": lambda x, y: x % 2,
    "RemainderBackward1": lambda x, y: x % y,
    "PowBackward0": lambda x, y: x.square(),
    "PowBackward1": lambda x, y: x**y,
    "PowBackward2": lambda x, y: 2**x,
    "ClampBackward0": lambda x, y: x.clamp(y),
    "ClampBackward1": lambda x, y: x.clip(0),
    "CopysignBackward1": lambda x, y: x.copysign(-1),
    "XlogyBackward1": lambda x, y: torch.xlogy(2, x),
    "WhereBackward0": lambda x, y: torch.where(x > 0, x, 0.0),
    "RoundBackward1": lambda x, y: x.round(decimals=1),
    "Log1PBackward0": lambda x, y: x.log1p(),
    "LerpBackward1": lambda x, y: x.lerp(y, y),
}


@pytest.mark.parametrize("name, f", NODES.items(), ids=NODES)
def test_names_of_nodes(name, f):
    x = torch.tensor([0.3, 0.7], requires_grad=True)
    assert type(f(x, x * 2).grad_fn).__name__ == name


def test_number_first_has_one_edge():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for y in (2**x, 1 - x, torch.xlogy(2, x), torch.floor_divide(2.0, x)):
        assert [type(n).__name__ for n, _ in y.grad_fn.next_functions] == ["AccumulateGrad"]


SMOOTH = "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh cosh tanh asinh atanh sigmoid frac deg2rad"  # noqa: E501


@pytest.mark.parametrize("name", SMOOTH.split())
def test_first_and_second_derivatives(name):
    f = getattr(torch, name)
    x = torch.tensor([0.2, 0.45, 0.7], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    h = 1e-5
    at = x.detach()
    np.testing.assert_allclose(g.tolist(), ((f(at + h) - f(at - h)) / (2 * h)).tolist(), rtol=1e-7, atol=1e-8)
    second = torch.autograd.grad(g.sum(), x, allow_unused=True)[0] if g.requires_grad else None
    expected = ((f(at + 1e-4) - 2 * f(at) + f(at - 1e-4)) / 1e-8).tolist()
    np.testing.assert_allclose([0, 0, 0] if second is None else second.tolist(), expected, rtol=1e-4, atol=1e-6)


f4, i8, u1, b1 = torch.tensor([1.0, 2.0]), torch.tensor([1, 2]), torch.tensor([1, 200], dtype=torch.uint8), torch.tensor([True, False])  # fmt: skip  # noqa: E501
PROMOTED = [
    (lambda: i8 + 1.5, [2.5, 3.5], torch.float32),
    (lambda: i8 / 2, [0.5, 1.0], torch.float32),
    (lambda: i8 // 2, [0, 1], torch.int64),
    (lambda: -7 // torch.tensor([2, -2]), [-4, 3], torch.int64),
    (lambda: torch.div(torch.tensor([-7, 7]), 2, rounding_mode="trunc"), [-3, 3], torch.int64),
    (lambda: 2**i8, [2, 4], torch.int64),
    (lambda: torch.tensor([2, -1, 1]) ** torch.tensor([-1, -3, -2]), [0, -1, 1], torch.int64),
    (lambda: u1 + 300, [45, 244], torch.uint8),
    (lambda: u1 - 2, [255, 198], torch.uint8),
    (lambda: -u1, [255, 56], torch.uint8),
    (lambda: b1 + b1, [True, False], torch.bool),
    (lambda: b1 + 1, [2, 1], torch.int64),
    (lambda: b1 | 1, [1, 1], torch.int64),
    (lambda: torch.tensor(3.0, dtype=torch.float64) + f4, [4, 5], torch.float32),
    (lambda: torch.tensor(3) + u1, [4, 203], torch.uint8),
    (lambda: np.float64(2) * f4, [2, 4], torch.float32),
    (lambda: f4 + np.ones(2), [2, 3], torch.float64),
    (lambda: np.ones(2) / f4, [1, 0.5], torch.float64),
    (lambda: torch.sqrt(b1), [1, 0], torch.float32),
    (lambda: torch.float_power(i8, 2), [1, 4], torch.float64),
    (lambda: torch.clamp(i8, 1.5), [1.5, 2], torch.float32),
    (lambda: torch.floor(i8), [1, 2], torch.int64),
    (lambda: torch.mul(2, 3), 6, torch.int64),
    (lambda: torch.addcmul(i8, i8, i8, value=1.5), [2, 6], torch.int64),
]


@pytest.mark.parametrize("f, values, dtype", PROMOTED)
def test_promotion(f, values, dtype):
    found = f()
    assert found.tolist() == values and found.dtype is dtype


ERRORS = [
    (lambda: b1 - b1, RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported"),
    (lambda: 1 - b1, RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported"),
    (lambda: -b1, RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported"),
    (lambda: i8 // 0, RuntimeError, "ZeroDivisionError"),
    (lambda: i8 % 0, RuntimeError, "ZeroDivisionError"),
    (lambda: i8**-1, RuntimeError, "Integers to negative integer powers are not allowed."),
    (lambda: b1 // b1, NotImplementedError, "\"div_floor_cpu\" not implemented for 'Bool'"),
    (lambda: f4 & 1, NotImplementedError, "\"bitwise_and_cpu\" not implemented for 'Float'"),
    (lambda: ~f4, TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors"),
    (lambda: torch.frac(i8), NotImplementedError, "\"frac_cpu\" not implemented for 'Long'"),
    (lambda: i8.add_(1.5), RuntimeError, "result type Float can't be cast to the desired output type Long"),
    (lambda: torch.add(i8, 1, alpha=1.5), RuntimeError, "For integral input tensors, argument alpha must not be a fl"),
    (lambda: f4 + torch.ones(3), RuntimeError, "The size of tensor a (2) must match the size of tensor b (3) at non-"),
    (lambda: torch.exp(1.0), TypeError, "exp(): argument 'input' (position 1) must be Tensor, not float"),
    (lambda: torch.add(f4, [1]), TypeError, "add(): argument 'other' (position 2) must be Tensor, not list"),
    (lambda: torch.maximum(f4, 2), TypeError, "maximum(): argument 'other' (position 2) must be Tensor, not int"),
    (lambda: torch.clamp(f4), RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"),
    (lambda: torch.div(f4, 2, rounding_mode="x"), RuntimeError, "div expected rounding_mode to be one of None, 'trun"),
    (lambda: torch.lerp(f4, i8, 0.5), RuntimeError, "expected dtype float for `end` but got dtype long int"),
    (lambda: torch.sign(torch.tensor([1j])), NotImplementedError, "Unlike NumPy, torch.sign is not intended to"),
    (lambda: torch.exp(), TypeError, 'exp() missing 1 required positional arguments: "input"'),
]


@pytest.mark.parametrize("f, kind, text", ERRORS)
def test_errors(f, kind, text):
    with pytest.raises(kind) as caught:
        f()
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("symbol", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
@pytest.mark.parametrize("foreign", ["a", None, [1, 2], {}])
def test_operators_leave_foreign_operands_alone(symbol, foreign):
    with pytest.raises(TypeError):
        getattr(operator, symbol)(f4, foreign)
    assert getattr(f4, f"__{symbol}__")(foreign) is NotImplemented


def test_floor_divide_has_no_derivative():
    x = torch.tensor([3.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        (x // 2).backward()


INPLACE = [
    (lambda x: x.mul_(x.detach() + 1), lambda x: x * (x.detach() + 1)),
    (lambda x: x.pow_(3), lambda x: x**3),
    (lambda x: x.abs_(), torch.abs),
    (lambda x: x.log_(), torch.log),
    (lambda x: x.exp_(), torch.exp),
    (lambda x: x.clamp_(0.3, 0.6), lambda x: x.clamp(0.3, 0.6)),
    (lambda x: x.addcmul_(x.detach(), x.detach(), value=2), lambda x: x.addcmul(x.detach(), x.detach(), value=2)),
    (lambda x: x.lerp_(torch.ones(3, dtype=torch.float64), 0.25), lambda x: x.lerp(torch.ones(3).double(), 0.25)),
    (lambda x: x.sigmoid_(), torch.sigmoid),
]


@pytest.mark.parametrize("inplace, f", INPLACE)
def test_in_place_gives_the_gradients_of_the_function(inplace, f):
    """What is saved of the tensor is its value before: writing over it does no harm."""
    start = torch.tensor([0.2, 0.5, 0.8], dtype=torch.float64)
    found, expected = [], []
    for g, out in ((lambda x: inplace(x * 1), found), (lambda x: f(x * 1), expected)):
        x = start.clone().requires_grad_()
        y = g(x)
        y.sum().backward()
        out += [y.tolist(), x.grad.tolist()]
    assert found == expected


def test_in_place_saved_by_another_operation_is_noticed():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y.sin()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_division_does_not_keep_its_result():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = 1 * x / x
    y += 1
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_signs_of_zero():
    zeros = torch.tensor([0.0, -0.0])
    assert torch.relu(zeros).signbit().tolist() == [False, True]
    assert torch.maximum(zeros, torch.zeros(2)).signbit().tolist() == [False, True]
    assert torch.sign(torch.tensor(nan)).item() == 0


def test_rounding():
    x = torch.tensor([0.5, 1.5, -2.5, 2.345])
    assert x.round().tolist() == [0, 2, -2, 2]
    assert torch.round(torch.tensor([1234.567]), decimals=-2).tolist() == [1200]
    assert [f(torch.tensor(-1.5)).item() for f in (torch.floor, torch.ceil, torch.trunc, torch.fix)] == [-2, -1, -1, -1]


def test_frexp_and_ldexp():
    mantissa, exponent = torch.frexp(torch.tensor([1.0, 10.0]))
    assert mantissa.tolist() == [0.5, 0.625] and exponent.tolist() == [1, 4] and exponent.dtype is torch.int32
    assert torch.ldexp(mantissa, exponent).tolist() == [1, 10]


def test_out_is_written():
    out = torch.zeros(2)
    assert torch.add(f4, f4, out=out) is out and out.tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.exp(f4, out=torch.zeros(2, dtype=torch.int64))
