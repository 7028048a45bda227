"""Tensors put together: cat, stack and their kin, block_diag, grids, products, combinations."""

from __future__ import annotations

import pytest

from funcgrad import torch

V = torch.tensor([1.0, 2.0])
W = torch.tensor([3.0, 4.0])
M = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda: torch.cat([V, W]), [1, 2, 3, 4]),
        (lambda: torch.cat([M, M], dim=-1), [[1, 2, 1, 2], [3, 4, 3, 4]]),
        (lambda: torch.cat((M, torch.zeros(0)), axis=0), [[1, 2], [3, 4]]),
        (lambda: torch.concat([V, W[:1]]), [1, 2, 3]),
        (lambda: torch.stack([V, W]), [[1, 2], [3, 4]]),
        (lambda: torch.stack([V, W], dim=1), [[1, 3], [2, 4]]),
        (lambda: torch.hstack([V, W]), [1, 2, 3, 4]),
        (lambda: torch.hstack([M, M[:, :1]]), [[1, 2, 1], [3, 4, 3]]),
        (lambda: torch.vstack([V, M]), [[1, 2], [1, 2], [3, 4]]),
        (lambda: torch.row_stack([V, W]), [[1, 2], [3, 4]]),
        (lambda: torch.dstack([V, W]), [[[1, 3], [2, 4]]]),
        (lambda: torch.column_stack([V, M]), [[1, 1, 2], [2, 3, 4]]),
        (lambda: torch.block_diag(V, torch.tensor([[3.0], [4.0]])), [[1, 2, 0], [0, 0, 3], [0, 0, 4]]),
        (lambda: torch.block_diag(), [[]]),
        (lambda: torch.cartesian_prod(V, W), [[1, 3], [1, 4], [2, 3], [2, 4]]),
        (lambda: torch.combinations(torch.tensor([1, 2, 3])), [[1, 2], [1, 3], [2, 3]]),
        (lambda: torch.combinations(V, with_replacement=True), [[1, 1], [1, 2], [2, 2]]),
        (lambda: torch.combinations(V, 0), []),
        (lambda: torch.meshgrid(V, W, indexing="ij")[0], [[1, 1], [2, 2]]),
        (lambda: torch.meshgrid([V, W], indexing="xy")[0], [[1, 2], [1, 2]]),
    ],
)
def test_values(f, expected):
    assert f().tolist() == expected


@pytest.mark.parametrize(
    ("tensors", "dtype"),
    [
        ((torch.tensor([1]), V), torch.float32),
        ((torch.tensor([True]), torch.tensor([1], dtype=torch.uint8)), torch.uint8),
        ((V, torch.tensor([1j])), torch.complex64),
        ((torch.tensor([1], dtype=torch.int32), torch.tensor([1])), torch.int64),
    ],
)
def test_common_dtype(tensors, dtype):
    assert torch.cat(tensors).dtype is dtype


@pytest.mark.parametrize(
    ("f", "node", "next_nodes"),
    [
        (lambda v, m: torch.cat([v, v]), "CatBackward0", ["AccumulateGrad", "AccumulateGrad"]),
        (lambda v, m: torch.stack([v, v]), "StackBackward0", ["AccumulateGrad", "AccumulateGrad"]),
        (lambda v, m: torch.vstack([v, m]), "CatBackward0", ["UnsqueezeBackward0", "AccumulateGrad"]),
        (lambda v, m: torch.column_stack([v, m]), "CatBackward0", ["ViewBackward0", "AccumulateGrad"]),
        (lambda v, m: torch.block_diag(v, m), "BlockDiagBackward0", ["AccumulateGrad", "AccumulateGrad"]),
        (lambda v, m: torch.cartesian_prod(v, v), "StackBackward0", ["UnsafeViewBackward0", "UnsafeViewBackward0"]),
        (lambda v, m: torch.combinations(v), "StackBackward0", ["MaskedSelectBackward0", "MaskedSelectBackward0"]),
        (lambda v, m: torch.meshgrid(v, v, indexing="ij")[0], "ExpandBackward0", ["ViewBackward0"]),
    ],
)
def test_nodes(f, node, next_nodes):
    t = f(V.clone().requires_grad_(), M.clone().requires_grad_())
    assert type(t.grad_fn).__name__ == node
    assert [type(n).__name__ for n, _ in t.grad_fn.next_functions] == next_nodes


def test_results_are_contiguous():
    """NumPy would follow the order of the operands."""
    assert torch.cat([M.t(), M.t()]).stride() == (2, 1)
    assert torch.stack([M.t(), M.t()]).stride() == (4, 2, 1)


def test_grids_are_views():
    a, b = torch.meshgrid(V, torch.tensor([1.0, 2.0, 3.0]), indexing="xy")
    assert a._base is V and a.shape == (3, 2) and (a.stride(), b.stride()) == ((0, 1), (1, 0))


def test_out():
    out = torch.empty(4)
    assert torch.cat([V, W], out=out) is out and out.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("error", "text", "f"),
    [
        (ValueError, "torch.cat(): expected a non-empty list of Tensors", lambda: torch.cat([])),
        (
            TypeError,
            "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
            lambda: torch.cat(V),
        ),
        (TypeError, "expected Tensor as element 1 in argument 0, but got int", lambda: torch.cat([V, 2])),
        (RuntimeError, "zero-dimensional tensor (at position 1) cannot be concatenated", lambda: torch.cat([V, V[0]])),
        (RuntimeError, "Tensors must have same number of dimensions: got 1 and 2", lambda: torch.cat([V, M])),
        (
            RuntimeError,
            "Sizes of tensors must match except in dimension 0. Expected size 2 but got size 1 for tensor number 1 in "
            "the list.",
            lambda: torch.cat([M, M[:, :1]]),
        ),
        (RuntimeError, "stack expects a non-empty TensorList", lambda: torch.stack([])),
        (
            RuntimeError,
            "stack expects each tensor to be equal size, but got [2] at entry 0 and [2, 2] at entry 1",
            lambda: torch.stack([V, M]),
        ),
        (RuntimeError, "hstack expects a non-empty TensorList", lambda: torch.hstack([])),
        (
            RuntimeError,
            "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has 3 dimensions",
            lambda: torch.block_diag(M[None]),
        ),
        (
            RuntimeError,
            'torch.meshgrid: indexing must be one of "xy" or "ij", but received: a',
            lambda: torch.meshgrid(V, indexing="a"),
        ),
        (
            RuntimeError,
            "meshgrid expects all tensors to have the same dtype",
            lambda: torch.meshgrid(V, torch.tensor([1]), indexing="ij"),
        ),
        (RuntimeError, "Expect a 1D vector, but got shape [2, 2]", lambda: torch.combinations(M)),
        (RuntimeError, "Expect a non-negative number, but got -1", lambda: torch.combinations(V, -1)),
    ],
)
def test_errors(error, text, f):
    with pytest.raises(error) as found:
        f()
    assert str(found.value) == text


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: torch.cat([a, b, a]) ** 2,
        lambda a, b: torch.stack([a, b], 1) ** 2,
        lambda a, b: torch.block_diag(a, b) ** 2,
        lambda a, b: torch.cartesian_prod(a, b).prod(1),
        lambda a, b: torch.combinations(a * b).prod(1),
    ],
)
def test_gradients(f):
    a = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, (a, b))
    assert torch.autograd.gradgradcheck(f, (a, b))
