"""Spread, norms, distances, softmax, order statistics, covariance and histograms of the torch face."""

from __future__ import annotations

import math

import numpy as np
import pytest

from funcgrad import torch

NAN, INF = float("nan"), float("inf")


def value(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape)


def differences(f: object, x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = eps
        found[i] = (f(torch.tensor(x + e)).sum().item() - f(torch.tensor(x - e)).sum().item()) / (2 * eps)
    return found


def gradient(f: object, data: object) -> np.ndarray:
    x = torch.tensor(data, dtype=torch.float64, requires_grad=True)
    f(x).sum().backward()
    return None if x.grad is None else x.grad.numpy()


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x.std(), lambda a: a.std(ddof=1)),
        (lambda x: x.std(False), lambda a: a.std()),
        (lambda x: x.std(0), lambda a: a.std(0, ddof=1)),
        (lambda x: x.std(1, False, True), lambda a: a.std(1, keepdims=True)),
        (lambda x: x.std((0, 1), correction=2.5), lambda a: a.std(ddof=2.5)),
        (lambda x: x.var(dim=0, unbiased=False), lambda a: a.var(0)),
        (lambda x: x.var(correction=0, keepdim=True), lambda a: a.var(keepdims=True)),
        (lambda x: torch.var_mean(x, 1)[0], lambda a: a.var(1, ddof=1)),
        (lambda x: torch.std_mean(x, 0)[1], lambda a: a.mean(0)),
        (lambda x: x.norm(), lambda a: np.linalg.norm(a)),
        (lambda x: x.norm(1, 0), lambda a: np.linalg.norm(a, 1, 0)),
        (lambda x: x.norm(3, -1, True), lambda a: np.linalg.norm(a, 3, -1, True)),
        (lambda x: x.norm(INF, 0), lambda a: np.abs(a).max(0)),
        (lambda x: x.norm(p=-INF), lambda a: np.abs(a).min()),
        (lambda x: x.norm(0.5), lambda a: (np.abs(a) ** 0.5).sum() ** 2),
        (lambda x: torch.norm(x, dim=(0, 1)), lambda a: np.linalg.norm(a)),
        (lambda x: torch.dist(x, 2 * x + 1), lambda a: np.linalg.norm(a + 1)),
        (lambda x: torch.cdist(x, x + 1), lambda a: np.linalg.norm(a[:, None] - a - 1, axis=-1)),
        (lambda x: torch.cdist(x, x + 1, p=1), lambda a: np.abs(a[:, None] - a - 1).sum(-1)),
        (lambda x: torch.pdist(x), lambda a: np.linalg.norm(a[[0, 0, 1]] - a[[1, 2, 2]], axis=-1)),
        (lambda x: x.logsumexp(1), lambda a: np.log(np.exp(a).sum(1))),
        (lambda x: x.softmax(0) ** 2, lambda a: (np.exp(a) / np.exp(a).sum(0)) ** 2),
        (lambda x: x.log_softmax(-1)[:, 0], lambda a: a[:, 0] - np.log(np.exp(a).sum(-1))),
        (lambda x: torch.cov(x), lambda a: np.cov(a)),
        (lambda x: torch.corrcoef(x), lambda a: np.corrcoef(a)),
        (lambda x: x.quantile(0.3), lambda a: np.quantile(a, 0.3)),
        (lambda x: x.quantile(torch.tensor([0.1, 0.7], dtype=x.dtype), 1), lambda a: np.quantile(a, [0.1, 0.7], 1)),
        (lambda x: x.nanquantile(0.3, 0, True), lambda a: np.quantile(a, 0.3, 0, keepdims=True)),
        (lambda x: x.median(1).values, lambda a: np.sort(a, 1)[:, 1]),
        (lambda x: x.kthvalue(2, 0).values, lambda a: np.sort(a, 0)[1]),
        (lambda x: x.renorm(2, 0, 1.0), lambda a: a * np.minimum(1, 1 / np.linalg.norm(a, axis=1, keepdims=True))),
    ],
)
def test_values_and_gradients(f: object, expected: object) -> None:
    a = value(3, 4)
    found = f(torch.tensor(a))
    np.testing.assert_allclose(found.numpy(), expected(a), rtol=1e-6)
    np.testing.assert_allclose(gradient(f, a), differences(f, a), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", ["softmax", "log_softmax", "logsumexp", "std", "norm"])
def test_second_derivatives(f: str) -> None:
    a = value(4)

    def first(x: torch.Tensor) -> torch.Tensor:
        x = x.detach().requires_grad_()
        y = x.norm() if f == "norm" else getattr(x, f)(0)
        return torch.autograd.grad((y**2).sum(), x, create_graph=True)[0]

    x = torch.tensor(a, requires_grad=True)
    y = x.norm() if f == "norm" else getattr(x, f)(0)
    (g,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad((g * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum(), x)
    weighted = differences(lambda t: first(t).detach() * torch.tensor([1.0, 2.0, 3.0, 4.0]), a)
    np.testing.assert_allclose(h.numpy(), weighted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("p", [1, 2, 3, INF, -INF])
def test_gradient_of_a_norm_at_zero_is_zero(p: float) -> None:
    assert gradient(lambda x: x.norm(p), [0.0, 0.0]).tolist() == [0.0, 0.0]


def test_the_number_of_nonzeros_passes_no_gradient_on() -> None:
    assert gradient(lambda x: x.norm(0), [0.0, 1.0]) is None


def test_gradients_at_ties() -> None:
    assert gradient(lambda x: x.norm(INF), [2.0, -2.0, 1.0]).tolist() == [0.5, -0.5, 0.0]
    assert gradient(lambda x: x.median(), [2.0, 1.0, 2.0, 2.0]).tolist() == [1 / 3, 0.0, 1 / 3, 1 / 3]
    assert gradient(lambda x: x.median(0)[0], [2.0, 1.0, 2.0, 2.0]).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert gradient(lambda x: x.std(), [3.0, 3.0]).tolist() == [0.0, 0.0]


def test_softmax_of_large_numbers() -> None:
    assert torch.tensor([1000.0, 1000.0]).softmax(0).tolist() == [0.5, 0.5]
    assert torch.tensor([0.0, -INF]).softmax(0).tolist() == [1.0, 0.0]
    assert torch.softmax(torch.tensor([1, 1]), 0, dtype=torch.float64).dtype is torch.float64
    assert torch.tensor(5.0).softmax(0).item() == 1.0


def test_order_statistics() -> None:
    x = torch.tensor([[1.0, 3.0, 2.0, 3.0], [4.0, 4.0, 1.0, 2.0]])
    assert x.median().item() == 2.0
    assert [t.tolist() for t in x.median(1)] == [[2.0, 2.0], [2, 3]]
    assert [t.tolist() for t in x.mode(1)] == [[3.0, 4.0], [3, 1]]
    assert math.isnan(torch.tensor([1.0, NAN, 3.0]).median().item())
    assert torch.tensor([1.0, NAN, 3.0]).nanmedian().item() == 1.0
    assert torch.tensor([1.0, NAN]).median(0).indices.item() == 1
    assert torch.tensor([2.0, 2.0, 1.0, 2.0, 2.0]).kthvalue(3).indices.item() == 0  # from torch
    assert torch.tensor([4.0, 1.0]).quantile(0.25, interpolation="nearest").item() == 1.0


def test_mode_of_a_longer_row_is_the_last_of_its_run_in_torchs_order() -> None:
    assert torch.zeros(20).mode().indices.item() == 1


def test_nodes() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    calls = {
        "StdBackward0": x.std(),
        "VarBackward0": x.var(0),
        "StdMeanBackward0": torch.std_mean(x)[1],
        "LinalgVectorNormBackward0": x.norm(1),
        "DistBackward0": torch.dist(x, x),
        "CdistBackward0": torch.cdist(x, x),
        "LogsumexpBackward0": x.logsumexp(0),
        "SoftmaxBackward0": x.softmax(0),
        "LogSoftmaxBackward0": x.log_softmax(0),
        "MedianBackward0": x.median(),
        "MedianBackward1": x.median(0)[0],
        "NanmedianBackward1": x.nanmedian(0)[0],
        "ModeBackward0": x.mode()[0],
        "KthvalueBackward0": x.kthvalue(1)[0],
        "SqueezeBackward4": x.quantile(0.5),
        "RenormBackward0": x.renorm(2, 0, 1.0),
        "NotImplemented": torch.histogram(x, 2)[0],
    }
    assert {n: type(t.grad_fn).__name__ for n, t in calls.items()} == {n: n for n in calls}
    assert x.std(0).grad_fn._saved_correction == 1
    assert x.norm(3).grad_fn._saved_ord == 3


def test_bins() -> None:
    assert torch.histc(torch.tensor([1.0, 2.0, 3.0]), 4).tolist() == [1.0, 0.0, 1.0, 1.0]
    hist, edges = torch.histogram(torch.tensor([1.0, 2.0, 3.0]), 4, range=(0, 4), weight=torch.tensor([1.0, 2.0, 3.0]))
    assert (hist.tolist(), edges.tolist()) == ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0, 4.0])
    assert torch.bincount(torch.tensor([1, 1, 3])).tolist() == [0, 2, 0, 1]
    assert torch.bincount(torch.tensor([1]), weights=torch.tensor([2])).dtype is torch.float64


def test_covariance_with_weights() -> None:
    a = value(2, 3)
    found = torch.cov(torch.tensor(a), fweights=torch.tensor([1, 2, 1]), aweights=torch.tensor([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found.numpy(), np.cov(a, fweights=[1, 2, 1], aweights=[1.0, 2.0, 3.0]), rtol=1e-6)
    with pytest.warns(UserWarning, match=r"cov\(\): degrees of freedom is <= 0"):
        torch.cov(torch.ones(2, 1))


def test_too_few_elements_for_a_spread() -> None:
    with pytest.warns(UserWarning, match=r"std\(\): degrees of freedom is <= 0\. Correction should be"):
        assert math.isnan(torch.tensor([1.0]).std().item())


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: torch.tensor([1]).std(), RuntimeError, "std and var only support floating point and complex dtypes"),
        (lambda x: torch.tensor([1]).norm(), RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"),  # noqa: E501
        (lambda x: torch.cdist(x, torch.ones(2, 4)), RuntimeError, "X1 and X2 must have the same number of columns. X1: 3 X2: 4"),  # noqa: E501
        (lambda x: torch.softmax(torch.tensor([1, 2]), 0), NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"),  # noqa: E501
        (lambda x: x.softmax(), TypeError, 'softmax() missing 1 required positional arguments: "dim"'),
        (lambda x: x.quantile(1.5), RuntimeError, "quantile() q must be in the range [0, 1] but got 1.5"),
        (lambda x: x.double().quantile(torch.tensor([0.5])), RuntimeError, "quantile() q tensor must be same dtype as the input tensor"),  # noqa: E501
        (lambda x: torch.zeros(0).median(0), IndexError, "median(): Expected reduction dim 0 to have non-zero size."),
        (lambda x: x.kthvalue(9), RuntimeError, "kthvalue(): selected number k out of range for dimension 1"),
        (lambda x: torch.bincount(torch.tensor([-1])), RuntimeError, "bincount only supports 1-d non-negative integral inputs."),  # noqa: E501
        (lambda x: torch.histogram(x.requires_grad_(), 2)[0].sum().backward(), RuntimeError, "derivative for aten::histogram is not implemented"),  # noqa: E501
        (
            lambda x: torch.std(x, "a"),
            TypeError,
            "std() received an invalid combination of arguments - got (Tensor, str), but expected one of:\n"
            " * (Tensor input, tuple of ints dim, bool unbiased = True, bool keepdim = False, *, Tensor out = None)\n"
            " * (Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False, Tensor out = None)\n"  # noqa: E501
            " * (Tensor input, bool unbiased = True)\n"
            "      didn't match because some of the arguments have invalid types: (Tensor, !str!)\n",
        ),
    ],
)  # fmt: skip
def test_errors(call: object, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        call(torch.ones(2, 3))
    assert type(caught.value) is kind
    assert str(caught.value) == text
