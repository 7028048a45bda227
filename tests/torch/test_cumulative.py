"""Cumulative sums, products and extrema, differences and integrals of the torch face."""

from __future__ import annotations

import numpy as np
import pytest

from funcgrad import torch

NAN = float("nan")


def gradient(f: object, data: object) -> list:
    x = torch.tensor(data, dtype=torch.float64, requires_grad=True)
    y = f(x)
    (y * torch.arange(1.0, y.numel() + 1, dtype=torch.float64).reshape(y.shape)).sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize(("f", "ufunc"), [("cumsum", np.add), ("cumprod", np.multiply)])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_sums_and_products(f: str, ufunc: np.ufunc, dim: int) -> None:
    value = np.random.default_rng(0).standard_normal((3, 4))
    found = getattr(torch.tensor(value), f)(dim)
    np.testing.assert_allclose(found.numpy(), ufunc.accumulate(value, dim))
    assert found.stride() == (4, 1)


def test_dtypes() -> None:
    assert torch.tensor([True, True]).cumsum(0).tolist() == [1, 2]
    assert torch.tensor([200, 100], dtype=torch.uint8).cumsum(0).tolist() == [200, 300]
    assert torch.tensor([1, 2]).cumprod(0, dtype=torch.float32).dtype is torch.float32
    assert torch.tensor(3.0).cumsum(0).item() == 3.0
    assert torch.ones(3, dtype=torch.float16).cumsum(0).dtype is torch.float16


def test_extrema_take_the_last_of_equals_and_nan_stays() -> None:
    values, indices = torch.tensor([1.0, 1.0, 2.0, 2.0, 1.0]).cummax(0)
    assert (values.tolist(), indices.tolist()) == ([1.0, 1.0, 2.0, 2.0, 2.0], [0, 1, 2, 3, 3])
    found = torch.tensor([1.0, NAN, NAN, 1.0]).cummin(0)
    assert found.indices.tolist() == [0, 1, 2, 2]
    assert type(found).__name__ == "cummin"


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x.cumsum(0), [6.0, 5.0, 3.0]),
        (lambda x: x.cumprod(0), [1.0, 4.0 + 0.0, 0.0]),
        (lambda x: x.cummax(0)[0], [3.0, 0.0, 3.0]),
        (lambda x: x.diff(), [-1.0, -1.0, 2.0]),
    ],
)
def test_gradients(f: object, expected: list) -> None:
    data = [2.0, 0.0, 3.0]
    if expected[0] == 1.0:
        expected = [1.0, 2 * 2.0 + 3 * 2.0 * 3.0, 0.0]
    assert gradient(f, data) == expected


def test_logcumsumexp_does_not_overflow() -> None:
    found = torch.logcumsumexp(torch.tensor([1000.0, 1000.0, -float("inf")]), 0)
    np.testing.assert_allclose(found.numpy(), 1000 + np.log([1.0, 2.0, 2.0]))
    got = gradient(lambda x: x.logcumsumexp(0), [0.0, 0.0])
    np.testing.assert_allclose(got, [1 + 2 * 0.5, 2 * 0.5])


def test_nodes() -> None:
    x = torch.ones(3, requires_grad=True)
    names = [type(t.grad_fn).__name__ for t in (x.cumsum(0), x.cumprod(0), x.cummax(0)[0], x.logcumsumexp(0))]
    assert names == ["CumsumBackward0", "CumprodBackward0", "CummaxBackward0", "LogcumsumexpBackward0"]
    assert x.cumsum(-1).grad_fn._saved_dim == 2**64 - 1
    assert type(x.diff().grad_fn).__name__ == "SubBackward0"
    assert type(torch.trapezoid(x).grad_fn).__name__ == "MulBackward1"


def test_in_place() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x.clone()
    assert y.cumsum_(0) is y
    assert y.tolist() == [1.0, 3.0, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 2.0, 1.0]


def test_differences_and_integrals() -> None:
    x = torch.tensor([1.0, 4.0, 9.0, 16.0])
    assert x.diff(2).tolist() == [2.0, 2.0]
    assert torch.diff(x, prepend=torch.zeros(1)).tolist() == [1.0, 3.0, 5.0, 7.0]
    assert x.diff(9).shape == (0,)
    assert torch.tensor([True, False]).diff().tolist() == [True]
    assert torch.trapezoid(x).item() == 21.5
    assert torch.trapz(x, dx=2).item() == 43.0
    assert torch.trapezoid(x, torch.tensor([0.0, 1.0, 3.0, 6.0])).item() == 2.5 + 13.0 + 37.5
    assert torch.cumulative_trapezoid(x).tolist() == [2.5, 9.0, 21.5]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: x.cumsum(), TypeError, 'cumsum() missing 1 required positional arguments: "dim"'),
        (lambda x: x.cumsum("a"), TypeError, "cumsum(): argument 'dim' (position 1) must be int, not str"),
        (lambda x: torch.cumsum(x, 0, 1), TypeError, "cumsum() takes 2 positional arguments but 3 were given"),
        (lambda x: x.diff(-1), RuntimeError, "order must be non-negative but got -1"),
        (lambda x: x[0].diff(), RuntimeError, "diff expects input to be at least one-dimensional"),
        (lambda x: torch.trapezoid(x, x[:1]), RuntimeError, "trapezoid: There must be one `x` value for each sample point"),  # noqa: E501
        (lambda x: torch.tensor([1]).logcumsumexp(0), NotImplementedError, "\"logcumsumexp_out_cpu\" not implemented for 'Long'"),  # noqa: E501
    ],
)  # fmt: skip
def test_errors(call: object, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        call(torch.ones(3))
    assert str(caught.value) == text
