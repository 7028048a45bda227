"""Sizes and dimensions: what results look like, which node made them, and torch's errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from funcgrad import torch


def x(*shape: int) -> torch.Tensor:
    """0, 1, 2, … in a shape, requiring grad."""
    return torch.arange(float(np.prod(shape, dtype=int))).reshape(shape).requires_grad_()


def name(t: torch.Tensor) -> str:
    return type(t.grad_fn).__name__


@pytest.mark.parametrize(
    ("f", "shape", "stride", "node"),
    [
        (lambda t: t.view(6, -1), (6, 4), (4, 1), "ViewBackward0"),
        (lambda t: t.view(torch.Size([24])), (24,), (1,), "ViewBackward0"),
        (lambda t: t.view(size=(4, 6)), (4, 6), (6, 1), "ViewBackward0"),
        (lambda t: t.reshape(4, 6), (4, 6), (6, 1), "ViewBackward0"),
        (lambda t: t.mT.reshape(2, 4, 3), (2, 4, 3), (12, 1, 4), "ReshapeAliasBackward0"),
        (lambda t: t.mT.reshape(-1), (24,), (1,), "UnsafeViewBackward0"),
        (lambda t: t.mT.flatten(1), (2, 12), (12, 1), "UnsafeViewBackward0"),
        (lambda t: t.mT.ravel(), (24,), (1,), "ViewBackward0"),
        (lambda t: t.flatten(0, 1), (6, 4), (4, 1), "ViewBackward0"),
        (lambda t: t.unflatten(2, (2, -1)), (2, 3, 2, 2), (12, 4, 2, 1), "ViewBackward0"),
        (lambda t: t.expand(5, -1, -1, -1), (5, 2, 3, 4), (0, 12, 4, 1), "ExpandBackward0"),
        (lambda t: t[:, :1].expand(2, 3, 4), (2, 3, 4), (12, 0, 1), "ExpandBackward0"),
        (lambda t: t.broadcast_to((1, 2, 3, 4)), (1, 2, 3, 4), (24, 12, 4, 1), "ExpandBackward0"),
        (lambda t: t.permute(2, 0, 1), (4, 2, 3), (1, 12, 4), "PermuteBackward0"),
        (lambda t: t.transpose(0, -1), (4, 3, 2), (1, 4, 12), "TransposeBackward0"),
        (lambda t: t.swapaxes(0, 1), (3, 2, 4), (4, 12, 1), "TransposeBackward0"),
        (lambda t: t[0].t(), (4, 3), (1, 4), "TBackward0"),
        (lambda t: t[0].T, (4, 3), (1, 4), "PermuteBackward0"),
        (lambda t: t.mT, (2, 4, 3), (12, 1, 4), "TransposeBackward0"),
        (lambda t: t[0].H, (4, 3), (1, 4), "TransposeBackward0"),
        (lambda t: t.movedim(0, -1), (3, 4, 2), (4, 1, 12), "PermuteBackward0"),
        (lambda t: t.moveaxis((0, 1), (1, 0)), (3, 2, 4), (4, 12, 1), "PermuteBackward0"),
        (lambda t: t[:1].squeeze(), (3, 4), (4, 1), "SqueezeBackward0"),
        (lambda t: t[:1].squeeze(0), (3, 4), (4, 1), "SqueezeBackward1"),
        (lambda t: t.squeeze((0, 1)), (2, 3, 4), (12, 4, 1), "SqueezeBackward2"),
        (lambda t: t.unsqueeze(1), (2, 1, 3, 4), (12, 12, 4, 1), "UnsqueezeBackward0"),
        (lambda t: t.unsqueeze(axis=-1), (2, 3, 4, 1), (12, 4, 1, 1), "UnsqueezeBackward0"),
        (lambda t: t.mT.contiguous(), (2, 4, 3), (12, 3, 1), "CloneBackward0"),
        (lambda t: t.mT.clone(), (2, 4, 3), (12, 1, 4), "CloneBackward0"),
        (lambda t: t.flip(0), (2, 3, 4), (12, 4, 1), "FlipBackward0"),
        (lambda t: t.mT.flip(0, 1), (2, 4, 3), (12, 1, 4), "FlipBackward0"),
        (lambda t: t.mT.roll(1, 2), (2, 4, 3), (12, 3, 1), "RollBackward0"),
        (lambda t: t[0, 0, 0].roll(1), (), (), "RollBackward0"),
        (lambda t: torch.rot90(t), (3, 2, 4), (4, 12, 1), "Rot90Backward0"),
        (lambda t: t.repeat(2, 1, 1, 3), (2, 2, 3, 12), (72, 36, 12, 1), "RepeatBackward0"),
        (lambda t: t.tile(2), (2, 3, 8), (24, 8, 1), "RepeatBackward0"),
        (lambda t: t.mT.tril(), (2, 4, 3), (12, 3, 1), "TrilBackward0"),
        (lambda t: t.diag_embed(), (2, 3, 4, 4), (48, 16, 4, 1), "DiagEmbedBackward0"),
        (lambda t: t[0, :, :3].diag(), (3,), (1,), "DiagonalBackward0_copy"),
        (lambda t: torch.atleast_3d(t[0]), (3, 4, 1), (4, 1, 1), "UnsqueezeBackward0"),
    ],
)
def test_geometry(f, shape, stride, node):
    """Sizes, strides and the node, for tensors with elements."""
    t = f(x(2, 3, 4))
    assert (tuple(t.shape), t.stride(), name(t)) == (shape, stride, node)


@pytest.mark.parametrize(
    ("f", "stride"),
    [
        (lambda t: t.transpose(0, 2), (1, 2, 2)),
        (lambda t: t.view(0, 5), (5, 1)),
        (lambda t: t.unsqueeze(1), (2, 0, 2, 1)),
        (lambda t: t.squeeze(), (2, 2, 1)),
        (lambda t: t.expand(4, 3, 0, 2), (0, 2, 2, 1)),
        (lambda t: t.select(0, 1), (2, 1)),
        (lambda t: t.diagonal(0, 0, 2), (2, 3)),
    ],
)
def test_strides_without_elements(f, stride):
    assert f(torch.zeros(3, 0, 2)).stride() == stride


@pytest.mark.parametrize(
    ("f", "same"),
    [
        (lambda t: t.contiguous(), True),
        (lambda t: t.flatten(1, 1), True),
        (lambda t: torch.broadcast_tensors(t, t[0])[0], True),
        (lambda t: torch.atleast_2d(t), True),
        (lambda t: t.reshape(2, 3), False),
        (lambda t: t.expand(2, 3), False),
        (lambda t: t.permute(0, 1), False),
    ],
)
def test_which_functions_give_back_the_tensor_itself(f, same):
    t = torch.ones(2, 3)
    assert (f(t) is t) == same


@pytest.mark.parametrize(
    ("error", "text", "f"),
    [
        (RuntimeError, "shape '[5, 5]' is invalid for input of size 24", lambda t: t.view(5, 5)),
        (RuntimeError, "only one dimension can be inferred", lambda t: t.reshape(-1, -1)),
        (RuntimeError, "invalid shape dimension -2 at index 0 of shape [-2, 4]", lambda t: t.view(-2, 4)),
        (
            RuntimeError,
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead.",
            lambda t: t.mT.view(-1),
        ),
        (
            RuntimeError,
            "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be "
            "any value and is ambiguous",
            lambda t: t[:0].view(-1, 0),
        ),
        (
            RuntimeError,
            "expand(torch.FloatTensor{[2, 3, 4]}, size=[3]): the number of sizes provided (1) must be greater or equal "
            "to the number of dimensions in the tensor (3)",
            lambda t: t.expand(3),
        ),
        (
            RuntimeError,
            "The expanded size of the tensor (9) must match the existing size (4) at non-singleton dimension 3.  "
            "Target sizes: [3, 2, 3, 9].  Tensor sizes: [2, 3, 4]",
            lambda t: t.expand(3, 2, 3, 9),
        ),
        (
            RuntimeError,
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0",
            lambda t: t.expand(-1, 2, 3, 4),
        ),
        (
            IndexError,
            "Dimension out of range (expected to be in range of [-3, 2], but got 3)",
            lambda t: t.transpose(0, 3),
        ),
        (
            IndexError,
            "Dimension out of range (expected to be in range of [-4, 3], but got 4)",
            lambda t: t.unsqueeze(4),
        ),
        (RuntimeError, "permute(): duplicate dims are not allowed.", lambda t: t.permute(0, 0, 1)),
        (RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D", lambda t: t.t()),
        (RuntimeError, "dim 0 appears multiple times in the list of dims", lambda t: t.squeeze((0, 0))),
        (RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim", lambda t: t.flatten(2, 1)),
        (RuntimeError, "movedim: repeated dim in `source` ([0, 0])", lambda t: t.movedim((0, 0), (0, 1))),
        (
            RuntimeError,
            "unflatten: Provided sizes [4, 2] don't multiply up to the size of dim 1 (3) in the input tensor",
            lambda t: t.unflatten(1, (4, 2)),
        ),
        (
            RuntimeError,
            "Attempting to broadcast a dimension of length 4 at -1! Mismatching argument at index 1 had (4,); but "
            "expected shape should be broadcastable to [2, 3]",
            lambda t: torch.broadcast_shapes((2, 3), (4,)),
        ),
        (
            RuntimeError,
            "tensor.H is only supported on matrices (2-D tensors). Got 3-D tensor. For batches of matrices, consider "
            "using tensor.mH",
            lambda t: t.H,
        ),
        (
            TypeError,
            "transpose(): argument 'dim0' (position 2) must be int, not float",
            lambda t: torch.transpose(t, 0.5, 1),
        ),
        (TypeError, 'unsqueeze() missing 1 required positional arguments: "dim"', lambda t: t.unsqueeze()),
        (
            TypeError,
            "reshape(): argument 'shape' (position 1) must be tuple of ints, not str",
            lambda t: t.reshape("a"),
        ),
        (
            RuntimeError,
            "required rank 4 tensor to use channels_last format",
            lambda t: t.clone(memory_format=torch.channels_last),
        ),
        (RuntimeError, "shifts and dimensions must align. shifts: 2, dims:1", lambda t: t.roll((1, 2), 0)),
        (RuntimeError, "diagonal dimensions cannot be identical 0, 0", lambda t: t.diag_embed(0, 0, 0)),
        (RuntimeError, "Trying to create tensor with negative dimension -2: [-2, 3, 4]", lambda t: t.repeat(-1, 1, 1)),
        (RuntimeError, "tril: input tensor must have at least 2 dimensions", lambda t: t[0, 0].tril()),
    ],
)
def test_errors(error, text, f):
    with pytest.raises(error) as found:
        f(torch.ones(2, 3, 4))
    assert str(found.value) == text


def test_transposing_what_is_no_matrix_warns():
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        try:
            torch.ones(1, 1, 1).T
            torch.tensor(1.0).mT
        finally:
            torch.set_warn_always(False)
    assert str(given[0].message).startswith(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape"
    )
    assert str(given[1].message).startswith("Tensor.mT is deprecated on 0-D tensors.")


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda t: t.flip(1), [[2, 1, 0], [5, 4, 3]]),
        (lambda t: t.fliplr(), [[2, 1, 0], [5, 4, 3]]),
        (lambda t: t.flipud(), [[3, 4, 5], [0, 1, 2]]),
        (lambda t: t.roll(1), [[5, 0, 1], [2, 3, 4]]),
        (lambda t: t.roll((1, -1), (0, 1)), [[4, 5, 3], [1, 2, 0]]),
        (lambda t: t.rot90(), [[2, 5], [1, 4], [0, 3]]),
        (lambda t: t.rot90(-1), [[3, 0], [4, 1], [5, 2]]),
        (lambda t: t.repeat_interleave(2, 1), [[0, 0, 1, 1, 2, 2], [3, 3, 4, 4, 5, 5]]),
        (lambda t: t[0].repeat_interleave(torch.tensor([2, 0, 1])), [0, 0, 2]),
        (lambda t: t.tril(), [[0, 0, 0], [3, 4, 0]]),
        (lambda t: t.triu(1), [[0, 1, 2], [0, 0, 5]]),
        (lambda t: t[1].diag(1), [[0, 3, 0, 0], [0, 0, 4, 0], [0, 0, 0, 5], [0, 0, 0, 0]]),
        (lambda t: t[:, :2].diagflat(), [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 3, 0], [0, 0, 0, 4]]),
        (lambda t: torch.repeat_interleave(torch.tensor([1, 2])), [0, 1, 1]),
        (lambda t: torch.tril_indices(2, 3), [[0, 1, 1], [0, 0, 1]]),
        (lambda t: torch.triu_indices(2, 2, dtype=torch.int32), [[0, 0, 1], [0, 1, 1]]),
        (lambda t: torch.stack(torch.unravel_index(torch.tensor([4, 5]), (2, 3))), [[1, 1], [1, 2]]),
    ],
)
def test_values(f, expected):
    assert f(torch.arange(6).reshape(2, 3)).tolist() == expected


def test_memory_formats():
    t = torch.arange(120.0).reshape(2, 3, 4, 5)
    last = t.contiguous(memory_format=torch.channels_last)
    assert last.stride() == (60, 1, 15, 3)
    assert last.is_contiguous(memory_format=torch.channels_last) and not last.is_contiguous()
    assert last.clone().stride() == last.stride()
    assert torch.cat([last, last], 1).stride() == (120, 1, 30, 6)
    assert torch.equal(last, t)


def test_what_nodes_show():
    t = x(2, 3, 4)
    assert t.transpose(-1, 0).grad_fn._saved_dim0 == 2**64 - 1
    assert t.view(24).grad_fn._saved_self_sym_sizes == (2, 3, 4)
    assert t.narrow(1, -2, 1).grad_fn._saved_start == 1
    assert t.select(0, -1).grad_fn._saved_index == 2**64 - 1
    assert t.split(2, 2)[0].grad_fn._saved_split_size == 2


@pytest.mark.parametrize(
    "f",
    [
        lambda t: t.t().reshape(-1) ** 2,
        lambda t: t.expand(2, 3, 4) ** 2,
        lambda t: t.flip(0) * t.roll(1),
        lambda t: t.rot90() ** 3,
        lambda t: t.repeat(2, 2) ** 2,
        lambda t: t.tril() * t.diagonal().diag_embed().sum(),
        lambda t: t.unsqueeze(1).squeeze() ** 2 * t.clone(),
        lambda t: t.repeat_interleave(2, 0) ** 2,
    ],
)
def test_gradients(f):
    t = torch.arange(12.0, dtype=torch.float64).reshape(3, 4).div(7).requires_grad_()
    assert torch.autograd.gradcheck(f, (t,))
    assert torch.autograd.gradgradcheck(f, (t,))
