"""Sums, means, products, truth and extrema of the torch face, against NumPy, closed forms and what torch gives."""

from __future__ import annotations

import numpy as np
import pytest

from funcgrad import torch

NAN = float("nan")


def tensor(data: object, dtype: object = None) -> torch.Tensor:
    return torch.tensor(data, dtype=dtype, requires_grad=True)


def name(t: torch.Tensor) -> str | None:
    return None if t.grad_fn is None else type(t.grad_fn).__name__


def gradient(f: object, data: object) -> list:
    x = tensor(data, torch.float64)
    f(x).sum().backward()
    return x.grad.tolist()


MATRIX = [[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]]


@pytest.mark.parametrize("f", ["sum", "mean", "nansum", "nanmean", "amax", "amin"])
@pytest.mark.parametrize("dim", [None, 0, 1, -1, (0, 1), (1,), [0], ()])
@pytest.mark.parametrize("keepdim", [False, True])
def test_values_over_dimensions(f: str, dim: object, keepdim: bool) -> None:
    value = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    if dim is None and f.startswith("am"):
        dim = ()
    axis = None if dim in (None, ()) else tuple(dim) if isinstance(dim, (tuple, list)) else dim
    found = getattr(torch.tensor(value), f)(dim, keepdim)
    expected = getattr(np, {"nansum": "sum", "nanmean": "mean"}.get(f, f))(value, axis=axis, keepdims=keepdim)
    assert found.shape == expected.shape
    assert found.dtype is torch.float32
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: x.sum(), "SumBackward0"),
        (lambda x: x.sum(0), "SumBackward1"),
        (lambda x: x.sum(dim=None), "SumBackward1"),
        (lambda x: x.mean(), "MeanBackward0"),
        (lambda x: x.mean(0), "MeanBackward1"),
        (lambda x: x.prod(), "ProdBackward0"),
        (lambda x: x.prod(0), "ProdBackward1"),
        (lambda x: x.nansum(0), "NansumBackward0"),
        (lambda x: x.nanmean(), "DivBackward0"),
        (lambda x: x.trace(), "TraceBackward0"),
        (lambda x: x.max(), "MaxBackward1"),
        (lambda x: x.min(0)[0], "MinBackward0"),
        (lambda x: x.max(x), "MaximumBackward0"),
        (lambda x: x.amax(0), "AmaxBackward0"),
        (lambda x: x.aminmax().max, "AminmaxBackward0"),
        (lambda x: x.sum_to_size(1, 3), "SumBackward1"),
        (lambda x: x.argmax(), None),
        (lambda x: x.all(), None),
    ],
)
def test_names_of_nodes(call: object, expected: str | None) -> None:
    assert name(call(tensor(MATRIX))) == expected


def test_what_nodes_show_as_saved() -> None:
    node = tensor(MATRIX).sum(-1, True).grad_fn
    assert node._saved_dim == (2**64 - 1,)
    assert node._saved_keepdim is True
    assert node._saved_self_sym_sizes == (2, 3)
    assert tensor(MATRIX).max(0)[0].grad_fn._saved_indices.tolist() == [1, 0, 1]


def test_dtypes_of_sums_and_products() -> None:
    assert torch.tensor([1, 2], dtype=torch.uint8).sum().dtype is torch.int64
    assert torch.tensor([True, True]).sum().item() == 2
    assert torch.tensor([1, 2], dtype=torch.int32).prod().dtype is torch.int64
    assert torch.tensor([1.0, 2.0]).sum(dtype=torch.float64).dtype is torch.float64
    assert torch.tensor([1, 2]).mean(dtype=torch.float32).item() == 1.5
    assert torch.tensor([1.0, 2.0], dtype=torch.float16).mean().dtype is torch.float16
    assert torch.tensor([0, 2]).sum(dtype=torch.bool).item() is True


def test_half_precision_is_added_up_in_single() -> None:
    assert torch.full((4096,), 0.1, dtype=torch.float16).sum().item() == pytest.approx(409.5, abs=0.5)


def test_long_sums_of_single_precision_over_the_first_dimension_are_accurate() -> None:
    value = np.random.default_rng(0).random((20000, 3), dtype=np.float32)
    np.testing.assert_allclose(torch.tensor(value).sum(0).numpy(), value.sum(0, np.float64), rtol=1e-7)


def test_numpys_names_of_arguments() -> None:
    x = torch.tensor(MATRIX)
    assert torch.sum(x, axis=1, keepdims=True).tolist() == [[8.0], [13.0]]
    assert x.mean(axis=0).tolist() == [2.5, 4.0, 4.0]
    assert torch.max(input=x).item() == 6.0


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x.max(), [0.5, 0.0, 0.5]),
        (lambda x: x.max(0)[0], [1.0, 0.0, 0.0]),
        (lambda x: x.amax(), [0.5, 0.0, 0.5]),
        (lambda x: -x.neg().min(), [0.5, 0.0, 0.5]),
        (lambda x: x.aminmax().max, [0.5, 0.0, 0.5]),
    ],
)
def test_gradients_of_extrema_at_ties(f: object, expected: list) -> None:
    assert gradient(f, [2.0, 1.0, 2.0]) == expected


def test_gradient_of_a_maximum_that_is_nan() -> None:
    assert gradient(lambda x: x.max(), [1.0, NAN, NAN]) == [0.0, 0.5, 0.5]


def test_extrema_along_a_dimension() -> None:
    x = torch.tensor([[3.0, 1.0, 3.0], [2.0, NAN, 4.0]])
    assert x.max(1).indices.tolist() == [0, 1]
    assert x.min(0, keepdim=True).indices.tolist() == [[1, 1, 0]]
    assert x.argmax(0, keepdim=True).tolist() == [[0, 1, 1]]
    assert repr(torch.tensor([1.0, 2.0]).max(0)) == ("torch.return_types.max(\nvalues=tensor(2.),\nindices=tensor(1))")
    assert torch.max(x, other=torch.tensor(2.5))[1].tolist()[::2] == [2.5, 4.0]


@pytest.mark.parametrize("data", [[2.0, 3.0, 4.0], [0.0, 3.0, 4.0], [0.0, 0.0, 4.0], [5.0]])
def test_gradient_of_a_product(data: list) -> None:
    expected = [float(np.prod(data[:i] + data[i + 1 :])) for i in range(len(data))]
    assert gradient(lambda x: x.prod(), data) == expected
    assert gradient(lambda x: x.prod(0), data) == expected


def test_truth() -> None:
    x = torch.tensor([[True, False], [True, True]])
    assert x.all(0).tolist() == [True, False]
    assert x.any(dim=(0, 1), keepdim=True).tolist() == [[True]]
    assert torch.zeros(0).all().item() is True
    assert torch.tensor([2, 0], dtype=torch.uint8).all().dtype is torch.uint8
    assert torch.tensor([[0.0, 2.0], [3.0, 4.0]]).count_nonzero(0).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: x.sum(2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda x: x.sum((0, 0)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (lambda x: x.sum(0, 1, 2), TypeError, "sum() takes from 1 to 2 positional arguments but 3 were given"),
        (lambda x: x.sum(axis=0, dim=1), TypeError, "sum() got an unexpected keyword argument 'axis'"),
        (lambda x: x.sum(0, 1), TypeError, "sum(): argument 'keepdim' (position 2) must be bool, not int"),
        (lambda x: torch.argmax(x, "a"), TypeError, "argmax(): argument 'dim' (position 2) must be int, not str"),
        (lambda x: x.amax("a"), TypeError, "amax(): argument 'dim' (position 1) must be tuple of ints, not str"),
        (lambda x: torch.sum([1]), TypeError, "sum(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda x: torch.zeros(0).amax(), RuntimeError, "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."),  # noqa: E501
        (lambda x: torch.zeros(0, 3).max(0), IndexError, "max(): Expected reduction dim 0 to have non-zero size."),
        (lambda x: torch.zeros(0).argmax(), IndexError, "argmax(): Expected reduction dim to be specified for input.numel() == 0."),  # noqa: E501
        (lambda x: torch.tensor([1]).mean(), RuntimeError, "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long"),  # noqa: E501
        (lambda x: torch.tensor([1j]).max(), NotImplementedError, "\"max_all\" not implemented for 'ComplexFloat'"),
        (lambda x: x.sum_to_size(2), RuntimeError, "size {[2]} is not expandable to size {[2, 3]}.") ,
        (lambda x: torch.zeros(3).trace(), RuntimeError, "trace: expected a matrix, but got tensor with dim 1"),
        (
            lambda x: x.sum("a"),
            TypeError,
            "sum() received an invalid combination of arguments - got (str), but expected one of:\n"
            " * (*, torch.dtype dtype = None)\n"
            " * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)\n",
        ),
        (
            lambda x: x.max((0, 1)),
            TypeError,
            "max() received an invalid combination of arguments - got (tuple), but expected one of:\n * ()\n"
            "      didn't match because some of the arguments have invalid types: (!tuple of (int, int)!)\n"
            " * (Tensor other)\n"
            "      didn't match because some of the arguments have invalid types: (!tuple of (int, int)!)\n"
            " * (int dim, bool keepdim = False)\n",
        ),
    ],
)  # fmt: skip
def test_errors(call: object, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        call(torch.tensor(MATRIX))
    assert type(caught.value) is kind
    assert str(caught.value) == text


def test_results_are_contiguous() -> None:
    x = torch.tensor(np.zeros((2, 3, 4), np.float32).T)
    assert x.sum(0).stride() == (2, 1)
    assert x.amax(1, True).stride() == (2, 2, 1)
    assert x.max(2).indices.stride() == (3, 1)


def test_out() -> None:
    found = torch.empty(0)
    assert torch.sum(torch.tensor(MATRIX), 0, out=found) is found
    assert found.tolist() == [5.0, 8.0, 8.0]
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.max(torch.tensor(MATRIX), 1, out=(values, indices))
    assert (values.tolist(), indices.tolist()) == ([5.0, 6.0], [1, 2])


def test_second_derivatives() -> None:
    x = tensor([2.0, 3.0], torch.float64)
    (g,) = torch.autograd.grad(x.prod() + (x * x).mean() + x.max() * x.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [1.0 + 1.0 + 1.0, 1.0 + 1.0 + 3.0]
