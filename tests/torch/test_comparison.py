"""Comparisons, logic, choice, bits. What is written out was recorded from torch 2.13."""

from __future__ import annotations

import numpy as np
import pytest

from funcgrad import torch

nan, inf = float("nan"), float("inf")
x, i, b = torch.tensor([1.0, 2.0]), torch.tensor([1, 2]), torch.tensor([True, False])


@pytest.mark.parametrize(
    "f, expected",
    [
        (lambda: x > 1, [False, True]),
        (lambda: x.le(torch.tensor(1.0)), [True, False]),
        (lambda: i == 1.5, [False, False]),
        (lambda: torch.tensor([2**24 + 1]) == 2.0**24, [True]),
        (lambda: torch.tensor([0], dtype=torch.uint8) == 256, [True]),
        (lambda: torch.not_equal(i, 1), [False, True]),
        (lambda: torch.greater_equal(x, 2), [False, True]),
        (lambda: x == np.array([1.0, 3.0]), [True, False]),
        (lambda: torch.logical_xor(b, x), [False, True]),
        (lambda: torch.logical_not(torch.tensor([0.0, nan])), [True, False]),
        (lambda: torch.isinf(torch.tensor([inf, nan, 1.0])), [True, False, False]),
        (lambda: torch.isneginf(torch.tensor([-inf, inf])), [True, False]),
        (lambda: torch.isreal(torch.tensor([1j, 1])), [False, True]),
        (lambda: torch.isnan(i), [False, False]),
        (lambda: torch.isin(i, torch.tensor([2, 5])), [False, True]),
        (lambda: torch.isin(i, 1, invert=True), [False, True]),
        (
            lambda: torch.isclose(torch.tensor([nan, inf, 1.0]), torch.tensor([nan, inf, 1.1]), equal_nan=True),
            [True, True, False],
        ),
        (lambda: i & 1, [1, 0]),
        (lambda: 1 << i, [2, 4]),
        (lambda: torch.tensor([-8]) >> 1, [-4]),
        (lambda: ~b, [False, True]),
        (lambda: torch.gcd(torch.tensor([12, -8]), torch.tensor([18, 12])), [6, 4]),
        (lambda: i.clone().lt_(2), [1, 0]),
    ],
)
def test_values(f, expected):
    assert f().tolist() == expected


def test_foreign_operands():
    assert (x == "a") is False and (x == None) is False and (x != None) is True  # noqa: E711
    with pytest.raises(TypeError, match="'>' not supported between instances of 'Tensor' and 'NoneType'"):
        x > None


def test_where():
    y = torch.tensor([3.0, 4.0], dtype=torch.float64)
    assert torch.where(b, x, y).dtype is torch.float64
    assert torch.where(b, 1, 2).dtype is torch.int64
    assert torch.where(b, 1.0, i).dtype is torch.float32
    assert x.where(b, y).tolist() == [1, 4]
    assert [t.tolist() for t in torch.where(b)] == [[0]]
    with pytest.raises(RuntimeError, match="where expected condition to be a boolean tensor, but got a tensor with"):
        torch.where(x, x, x)
    with pytest.raises(TypeError, match=r"where\(\) received an invalid combination of arguments - got \(Tensor, Ten"):
        torch.where(b, x)


def test_where_sends_each_element_its_gradient():
    u, v = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    torch.where(b, u, v).sum().backward()
    assert u.grad.tolist() == [1, 0] and v.grad.tolist() == [0, 1]


def test_equal_and_allclose():
    assert torch.equal(x, x.clone()) and not torch.equal(x, torch.ones(3))
    assert torch.allclose(x, x + 1e-7) is True
    with pytest.raises(RuntimeError, match="Float did not match Long"):
        torch.allclose(x, i)


def test_comparisons_in_place_are_recorded_with_derivative_zero():
    u = torch.tensor([1.0, 2.0], requires_grad=True)
    v = (u * 1).eq_(1)
    assert v.grad_fn.name() == "EqBackward0" and v.tolist() == [1, 0]
    v.sum().backward()
    assert u.grad.tolist() == [0, 0]


@pytest.mark.parametrize(
    "f, text",
    [
        (lambda: torch.tensor([1j]) > 1, "\"gt_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: x << 1, "\"lshift_cpu\" not implemented for 'Float'"),
        (lambda: torch.gcd(b, b), "\"gcd_cpu\" not implemented for 'Bool'"),
    ],
)
def test_dtypes_without_a_kernel(f, text):
    with pytest.raises(NotImplementedError) as caught:
        f()
    assert str(caught.value) == text
