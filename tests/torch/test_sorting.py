"""Sorting, the largest elements, unique elements and search of the torch face; which of equal elements are found."""

from __future__ import annotations

import numpy as np
import pytest

from funcgrad import torch

NAN = float("nan")


def test_sort_and_nan() -> None:
    x = torch.tensor([[3.0, 1.0, 2.0], [NAN, 0.0, 5.0]])
    assert x.sort().indices.tolist() == [[1, 2, 0], [1, 2, 0]]
    assert x.sort(descending=True).indices.tolist() == [[0, 2, 1], [0, 2, 1]]
    assert torch.sort(x, 0)[1].tolist() == [[0, 1, 0], [1, 0, 1]]
    assert x.msort()[0].tolist() == [3.0, 0.0, 2.0]
    assert torch.tensor([2, 1]).argsort().tolist() == [1, 0]
    assert torch.tensor(1.0).sort().indices.item() == 0


def test_results_lie_in_memory_as_the_operand_does() -> None:
    x = torch.tensor(np.zeros((2, 3, 4), np.float32)).permute(2, 1, 0)
    assert [t.stride() for t in x.sort(1)] == [(1, 4, 12)] * 2
    assert x.topk(2, 0).values.stride() == (6, 2, 1)


def test_equal_elements_keep_their_order_in_short_rows_and_where_asked() -> None:
    assert torch.tensor([1.0, 0.0, 1.0, 0.0]).sort(descending=True).indices.tolist() == [0, 2, 1, 3]
    assert torch.zeros(20).sort(stable=True).indices.tolist() == list(range(20))


def test_equal_elements_of_longer_rows_come_as_introsort_leaves_them() -> None:
    expected = [10, 19, 18, 17, 16, 15, 14, 13, 12, 11, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1]  # from torch
    assert torch.zeros(20).sort().indices.tolist() == expected
    assert torch.zeros(20).argsort().tolist() == expected


def test_topk() -> None:
    values, indices = torch.tensor([1.0, 5.0, 3.0, 4.0]).topk(2)
    assert (values.tolist(), indices.tolist()) == ([5.0, 4.0], [1, 3])
    assert torch.tensor([[1.0, 5.0], [2.0, 0.0]]).topk(1, 0, largest=False).values.tolist() == [[1.0, 0.0]]
    assert torch.tensor([NAN, 1.0, NAN, 1.0]).topk(3).indices.tolist() == [0, 2, 3]  # from torch


def test_gradients_go_where_the_elements_came_from() -> None:
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    (x.sort().values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100.0, 1.0, 10.0]
    (g,) = torch.autograd.grad((x.topk(2).values ** 3).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [18.0, 0.0, 12.0]
    assert type(g.grad_fn).__name__ == "ScatterBackward0"


def test_nodes() -> None:
    x = torch.ones(3, requires_grad=True)
    assert type(x.sort()[0].grad_fn).__name__ == "SortBackward0"
    assert type(x.sort(stable=False)[0].grad_fn).__name__ == "SortBackward1"
    assert type(x.topk(1)[0].grad_fn).__name__ == "TopkBackward0"
    assert x.sort()[1].grad_fn is None
    assert len(x.sort()[0].grad_fn.next_functions) == 1


def test_unique() -> None:
    x = torch.tensor([[2, 1], [1, 3]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 3], [[1, 0], [0, 2]], [2, 1, 1])
    assert torch.tensor([[1, 2], [0, 1], [1, 2]]).unique(dim=0).tolist() == [[0, 1], [1, 2]]
    assert torch.tensor([NAN, 1.0, NAN]).unique().shape == (3,)
    found = torch.tensor([1, 1, 2, 1]).unique_consecutive(return_counts=True)
    assert [t.tolist() for t in found] == [[1, 2, 1], [2, 1, 1]]


def test_unique_is_recorded_but_has_no_derivative() -> None:
    y = torch.ones(2, requires_grad=True).unique()
    assert type(y.grad_fn).__name__ == "Unique2Backward0"
    with pytest.raises(NotImplementedError, match=r"the derivative for '_unique2' is not implemented\."):
        y.sum().backward()


def test_search() -> None:
    edges = torch.tensor([1.0, 3.0, 5.0])
    values = torch.tensor([[0.0, 3.0], [4.0, 9.0]])
    assert torch.searchsorted(edges, values).tolist() == [[0, 1], [2, 3]]
    assert torch.searchsorted(edges, values, right=True).tolist() == [[0, 2], [2, 3]]
    assert torch.bucketize(3.0, edges, out_int32=True).dtype is torch.int32
    rows = torch.tensor([[1.0, 2.0], [5.0, 6.0]])
    assert torch.searchsorted(rows, torch.tensor([[1.5], [1.5]])).tolist() == [[1], [0]]
    sorter = torch.tensor([1, 0])
    assert torch.searchsorted(torch.tensor([3, 1]), torch.tensor([2]), sorter=sorter).tolist() == [1]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: x.topk(4), RuntimeError, "selected index k out of range"),
        (lambda x: torch.topk(x), TypeError, 'topk() missing 1 required positional arguments: "k"'),
        (lambda x: x.unique("a"), TypeError, "_unique2(): argument 'sorted' must be bool, not str"),
        (lambda x: torch.tensor([1j]).sort(), RuntimeError, " Sort does not support complex dtypes on CPU"),
        (lambda x: torch.bucketize(x, torch.ones(2, 2)), RuntimeError, "boundaries tensor must be 1 dimension, but got dim(2)"),  # noqa: E501
        (lambda x: torch.searchsorted(x, x, side="up"), RuntimeError, "torch.searchsorted(): side can only be 'left' or 'right' but got up"),  # noqa: E501
        (
            lambda x: x.sort("a"),
            TypeError,
            "sort() received an invalid combination of arguments - got (str), but expected one of:\n"
            " * (*, bool stable, int dim = -1, bool descending = False)\n"
            " * (int dim = -1, bool descending = False)\n",
        ),
    ],
)  # fmt: skip
def test_errors(call: object, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        call(torch.ones(3))
    assert type(caught.value) is kind
    assert str(caught.value) == text
