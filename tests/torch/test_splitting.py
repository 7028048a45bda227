"""Parts of tensors: select, narrow, diagonal, unfold, split and their kin."""

from __future__ import annotations

import pytest

from funcgrad import torch


def x(*shape: int) -> torch.Tensor:
    """0, 1, 2, … in a shape, requiring grad."""
    n = 1
    for s in shape:
        n *= s
    return torch.arange(float(n)).reshape(shape).requires_grad_()


@pytest.mark.parametrize(
    ("f", "shape", "stride", "offset", "node"),
    [
        (lambda t: t.select(1, -1), (4, 8), (48, 1), 40, "SelectBackward0"),
        (lambda t: t.narrow(1, 1, 2), (4, 2, 8), (48, 8, 1), 8, "SliceBackward0"),
        (lambda t: t.narrow(0, torch.tensor(1), 2), (2, 6, 8), (48, 8, 1), 48, "SliceBackward0"),
        (lambda t: t.diagonal(), (8, 4), (1, 56), 0, "DiagonalBackward0"),
        (lambda t: t.diagonal(1, 0, 2), (6, 4), (8, 49), 1, "DiagonalBackward0"),
        (lambda t: t.diagonal(100), (8, 0), (1, 56), 0, "DiagonalBackward0"),
        (lambda t: t.unfold(1, 2, 2), (4, 3, 8, 2), (48, 16, 1, 8), 0, "UnfoldBackward0"),
        (lambda t: t.unbind(1)[2], (4, 8), (48, 1), 16, "UnbindBackward0"),
        (lambda t: t.split(4, 1)[1], (4, 2, 8), (48, 8, 1), 32, "SplitBackward0"),
        (lambda t: t.split([1, 5], 1)[1], (4, 5, 8), (48, 8, 1), 8, "SplitWithSizesBackward0"),
        (lambda t: t.chunk(3)[1], (2, 6, 8), (48, 8, 1), 96, "SplitBackward0"),
        (lambda t: t.tensor_split(4, 1)[1], (4, 2, 8), (48, 8, 1), 16, "SliceBackward0"),
        (lambda t: t.tensor_split((1, 3), 2)[1], (4, 6, 2), (48, 8, 1), 1, "SliceBackward0"),
        (lambda t: t.hsplit(2)[1], (4, 3, 8), (48, 8, 1), 24, "SliceBackward0"),
        (lambda t: t.dsplit([3])[0], (4, 6, 3), (48, 8, 1), 0, "SliceBackward0"),
        (lambda t: torch.unsafe_split(t, 2)[1], (2, 6, 8), (48, 8, 1), 0, "UnsafeSplitBackward0"),
    ],
)
def test_geometry(f, shape, stride, offset, node):
    """Sizes, strides, offset and node."""
    t = f(x(4, 6, 8))
    found = tuple(t.shape), t.stride(), t.storage_offset(), type(t.grad_fn).__name__
    assert found == (shape, stride, offset if t.numel() else 0, node)


@pytest.mark.parametrize(
    ("f", "sizes"),
    [
        (lambda t: t.split(4), [4, 4, 2]),
        (lambda t: t.split(20), [10]),
        (lambda t: t.chunk(4), [3, 3, 3, 1]),
        (lambda t: t.chunk(6), [2, 2, 2, 2, 2]),
        (lambda t: t.tensor_split(3), [4, 3, 3]),
        (lambda t: t.tensor_split([3, 1, 20]), [3, 0, 9, 0]),
        (lambda t: t.tensor_split(torch.tensor([-3])), [7, 3]),
        (lambda t: t[:0].chunk(2), [0, 0]),
        (lambda t: t[:0].split(0), [0]),
    ],
)
def test_sizes_of_parts(f, sizes):
    assert [len(p) for p in f(torch.arange(10))] == sizes


@pytest.mark.parametrize(
    ("error", "text", "f"),
    [
        (IndexError, "select() cannot be applied to a 0-dim tensor.", lambda t: t[0, 0].select(0, 0)),
        (
            IndexError,
            "select(): index 4 out of range for tensor of size [4, 6] at dimension 0",
            lambda t: t.select(0, 4),
        ),
        (RuntimeError, "start (3) + length (3) exceeds dimension size (4).", lambda t: t.narrow(0, 3, 3)),
        (
            IndexError,
            "start out of range (expected to be in range of [-4, 4], but got -5)",
            lambda t: t.narrow(0, -5, 1),
        ),
        (RuntimeError, "narrow(): length must be non-negative.", lambda t: t.narrow(0, 0, -1)),
        (RuntimeError, "diagonal dimensions cannot be identical 0, 0", lambda t: t.diagonal(0, 0, 0)),
        (RuntimeError, "maximum size for tensor at dimension 0 is 4 but size is 7", lambda t: t.unfold(0, 7, 1)),
        (RuntimeError, "step is 0 but must be > 0", lambda t: t.unfold(0, 2, 0)),
        (IndexError, "Dimension specified as 0 but tensor has no dimensions", lambda t: t[0, 0].unbind()),
        (
            RuntimeError,
            "split_size can only be 0 if dimension size is 0, but got dimension size of 4",
            lambda t: t.split(0),
        ),
        (
            RuntimeError,
            "split_with_sizes expects split_sizes to sum exactly to 4 (input tensor's size at dimension 0), but got "
            "split_sizes=[1, 2]",
            lambda t: t.split([1, 2]),
        ),
        (RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0", lambda t: t.chunk(0)),
        (RuntimeError, "number of sections must be larger than 0, got 0", lambda t: t.tensor_split(0)),
        (
            RuntimeError,
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got Float",
            lambda t: t.tensor_split(torch.tensor(1.1)),
        ),
        (
            RuntimeError,
            "torch.hsplit attempted to split along dimension 1, but the size of the dimension 6 is not divisible by "
            "the split_size 4!",
            lambda t: t.hsplit(4),
        ),
        (
            RuntimeError,
            "torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with 1 dimensions!",
            lambda t: t[0].vsplit(2),
        ),
        (
            TypeError,
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not float",
            lambda t: t.split(2.0),
        ),
        (TypeError, "iteration over a 0-d tensor", lambda t: list(t[0, 0])),
        (
            RuntimeError,
            "expected src to have a size equal to the slice of self. src size = [4, 6], slice size = [6]",
            lambda t: torch.select_scatter(t, t, 0, 0),
        ),
    ],
)
def test_errors(error, text, f):
    with pytest.raises(error) as found:
        f(torch.ones(4, 6))
    assert str(found.value) == text


def test_unbind_is_one_node_with_several_outputs():
    t = x(3, 2)
    a, _, c = t
    assert a.grad_fn is c.grad_fn and (a.output_nr, c.output_nr) == (0, 2)
    (a * 2 + c * 3).sum().backward()
    assert t.grad.tolist() == [[2, 2], [0, 0], [3, 3]]


def test_one_part_has_a_gradient_too():
    t = x(3, 2)
    t.split(3)[0].sum().backward()
    t[:1].unbind()[0].sum().backward()
    assert t.grad.tolist() == [[2, 2], [1, 1], [1, 1]]


def test_contains():
    t = torch.tensor([[1, 2], [3, 4]])
    assert 3 in t and torch.tensor([1, 9]) in t and 5 not in t
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in a <class 'str'>"):
        "a" in t


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda t, s: torch.select_scatter(t, s, 0, 1), [[0, 1], [-1, -2]]),
        (lambda t, s: torch.slice_scatter(t, s[None], 0, 0, 1), [[-1, -2], [2, 3]]),
        (lambda t, s: torch.diagonal_scatter(t, s), [[-1, 1], [2, -2]]),
        (lambda t, s: torch.as_strided_scatter(t, s, (2,), (2,), 1), [[0, -1], [2, -2]]),
    ],
)
def test_scatter(f, expected):
    t, s = x(2, 2), torch.tensor([-1.0, -2.0], requires_grad=True)
    found = f(t, s)
    assert found.tolist() == expected
    found.sum().backward()
    assert s.grad.tolist() == [1, 1]
    assert t.grad.tolist() == [[float(e >= 0) for e in row] for row in expected]


@pytest.mark.parametrize(
    ("copy", "view"),
    [
        (lambda t: torch.transpose_copy(t, 0, 1), lambda t: t.transpose(0, 1)),
        (lambda t: torch.view_copy(t, (2, -1)), lambda t: t.view(2, -1)),
        (lambda t: torch.expand_copy(t, (2, 3, 4)), lambda t: t.expand(2, 3, 4)),
        (lambda t: torch.permute_copy(t, (1, 0)), lambda t: t.permute(1, 0)),
        (lambda t: torch.t_copy(t), lambda t: t.t()),
        (lambda t: torch.squeeze_copy(t), lambda t: t.squeeze()),
        (lambda t: torch.unsqueeze_copy(t, 0), lambda t: t.unsqueeze(0)),
        (lambda t: torch.select_copy(t, 0, 1), lambda t: t.select(0, 1)),
        (lambda t: torch.slice_copy(t, 1, 1, -1), lambda t: t[:, 1:-1]),
        (lambda t: torch.diagonal_copy(t, 1), lambda t: t.diagonal(1)),
        (lambda t: torch.unfold_copy(t, 1, 2, 1), lambda t: t.unfold(1, 2, 1)),
        (lambda t: torch.as_strided_copy(t, (2, 2), (1, 2)), lambda t: t.as_strided((2, 2), (1, 2))),
        (lambda t: torch.alias_copy(t), lambda t: t),
        (lambda t: torch.unbind_copy(t)[1], lambda t: t[1]),
        (lambda t: torch.split_copy(t, 2)[1], lambda t: t[2:]),
        (lambda t: torch.split_with_sizes_copy(t, [1, 2])[1], lambda t: t[1:]),
        (lambda t: torch.narrow_copy(t, 1, 1, 2), lambda t: t.narrow(1, 1, 2)),
    ],
)
def test_copies_of_views(copy, view):
    t = x(3, 4)
    found = copy(t)
    assert torch.equal(found, view(t)) and found.is_contiguous() and not found._is_view()
    assert type(found.grad_fn).__name__.endswith("_copy") or type(found.grad_fn).__name__ == "NarrowCopyBackward0"
    (of_copy,) = torch.autograd.grad(found.square().sum(), t)
    (of_view,) = torch.autograd.grad(view(t).square().sum(), t)
    assert torch.equal(of_copy, of_view)


@pytest.mark.parametrize(
    "f",
    [
        lambda t: t.select(0, 1) ** 2,
        lambda t: t.narrow(1, 1, 2) ** 2,
        lambda t: t.diagonal(1) ** 2,
        lambda t: t.unfold(1, 2, 1) ** 2,
        lambda t: t.split(2, 1)[0] * t.split(2, 1)[1],
        lambda t: t.unbind()[0] * t.unbind(0)[2],
        lambda t: t.as_strided((2, 3), (1, 2), 1) ** 2,
        lambda t: torch.slice_scatter(t, t[:1] * t[1:2], 0, 0, 1) ** 2,
        lambda t: torch.diagonal_scatter(t, t[:, 0] ** 2) * t,
    ],
)
def test_gradients(f):
    t = torch.arange(12.0, dtype=torch.float64).reshape(3, 4).div(7).requires_grad_()
    assert torch.autograd.gradcheck(f, (t,))
    assert torch.autograd.gradgradcheck(f, (t,))
