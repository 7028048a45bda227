"""Views: shared memory, the base, and how history follows when something is written in place."""

from __future__ import annotations

import pytest

from funcgrad import torch


def m(**options) -> torch.Tensor:
    return torch.arange(16.0).reshape(4, 4).clone().requires_grad_(options.get("grad", False))


def chain(t: torch.Tensor) -> list[str]:
    """The names of the nodes from a tensor to the first leaf it depends on."""
    names, node = [], t.grad_fn
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return names


VIEWS = [
    lambda t: t.view(2, 8),
    lambda t: t.reshape(16),
    lambda t: t.flatten(),
    lambda t: t.expand(2, 4, 4)[0],
    lambda t: t.t(),
    lambda t: t.T,
    lambda t: t.mH,
    lambda t: t.permute(1, 0),
    lambda t: t.unsqueeze(0),
    lambda t: t.squeeze(),
    lambda t: t.narrow(0, 1, 2),
    lambda t: t.select(1, 2),
    lambda t: t.diagonal(1),
    lambda t: t.unfold(0, 2, 1),
    lambda t: t.as_strided((2, 2), (1, 4), 1),
    lambda t: t.split(3)[1],
    lambda t: t.unbind(1)[1],
    lambda t: t.tensor_split(2)[1],
    lambda t: t.movedim(0, 1),
    lambda t: t.view_as(t),
    lambda t: t.view(2, 8).t()[1:].unsqueeze(1),
]


@pytest.mark.parametrize("f", VIEWS)
def test_views_share_memory_version_and_base(f):
    t = m()
    v = f(t)
    assert v._is_view() and v._base is t
    assert v.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    assert v.data_ptr() == t.data_ptr() + 4 * v.storage_offset()
    v.fill_(-1)
    assert t._version == v._version == 1
    assert t.eq(-1).sum() == len({t.storage_offset() + i for i in _places(v)})


def _places(v: torch.Tensor) -> list[int]:
    offsets = [v.storage_offset()]
    for n, s in zip(v.shape, v.stride()):
        offsets = [o + i * s for o in offsets for i in range(n)]
    return offsets


@pytest.mark.parametrize("f", VIEWS)
def test_the_gradient_of_a_view(f):
    t = m(grad=True)
    f(t).sum().backward()
    expected = [0.0] * 16
    for i in _places(f(t)):
        expected[i] += 1
    assert t.grad.flatten().tolist() == expected


@pytest.mark.parametrize(
    "f", [lambda t: t.clone(), lambda t: t.t().reshape(16), lambda t: t.flip(0), lambda t: t.detach()]
)
def test_what_is_no_view(f):
    assert not f(m())._is_view()


def test_writing_into_a_view_rewrites_the_history_of_its_base():
    y = m(grad=True) * 1
    v, other = y.t(), y[1:]
    v.mul_(2)
    assert chain(v) == ["AsStridedBackward0", "CopySlices", "MulBackward0", "AccumulateGrad"]
    assert chain(y) == ["CopySlices", "MulBackward0", "AccumulateGrad"]
    assert chain(other)[0] == "AsStridedBackward0"


def test_writing_into_the_base_rewrites_the_history_of_its_views():
    x = m(grad=True)
    y = x * 1
    v = y.view(16)
    y.mul_(3)
    assert chain(v)[:2] == ["AsStridedBackward0", "MulBackward0"]
    v.sum().backward()
    assert x.grad.unique().tolist() == [3]


@pytest.mark.parametrize(
    ("f", "node"),
    [
        (lambda t: t.t_(), "TBackward1"),
        (lambda t: t.transpose_(0, 1), "TransposeBackward1"),
        (lambda t: t.swapaxes_(0, 1), "TransposeBackward1"),
        (lambda t: t.squeeze_(), "SqueezeBackward3"),
        (lambda t: t.squeeze_(0), "SqueezeBackward4"),
        (lambda t: t.squeeze_((0, 1)), "SqueezeBackward5"),
        (lambda t: t.unsqueeze_(0), "UnsqueezeBackward1"),
        (lambda t: t.as_strided_((2, 2), (1, 2)), "AsStridedBackward1"),
    ],
)
def test_views_in_place(f, node):
    y = m(grad=True) * 1
    found = f(y)
    assert found is y and y._version == 1 and not y._is_view() and chain(y)[:2] == [node, "MulBackward0"]


def test_a_view_that_is_viewed_in_place_stays_one():
    t = m()
    v = t.view_as(t)
    assert v.t_() is v and v._base is t
    v[0, 1] = 100
    assert t[1, 0] == 100


@pytest.mark.parametrize(
    ("text", "f"),
    [
        (
            "Output 0 of Split is a view and is being modified inplace. This view is the output of a function that "
            "returns multiple views. Such functions do not allow the output views to be modified inplace. You "
            "should replace the inplace operation by an out-of-place one.",
            lambda x: (x * 1).split(2)[0].mul_(2),
        ),
        (
            "Output 1 of Unbind is a view and is being modified inplace. This view is the output of a function "
            "that returns multiple views. Such functions do not allow the output views to be modified inplace. You "
            "should replace the inplace operation by an out-of-place one.",
            lambda x: (x * 1).unbind()[1].mul_(2),
        ),
        (
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
            lambda x: x.view(16).mul_(2),
        ),
        ("a leaf Variable that requires grad is being used in an in-place operation.", lambda x: x.t_()),
        (
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation.",
            lambda x: (x * 1).expand(2, 4, 4).mul_(2),
        ),
    ],
)
def test_what_may_not_be_written_into(text, f):
    with pytest.raises(RuntimeError) as found:
        f(m(grad=True))
    assert str(found.value) == text


def test_slices_of_tensor_split_may_be_written_into():
    y = m(grad=True) * 1
    y.tensor_split(2)[0].mul_(2)
    assert chain(y)[0] == "CopySlices"


# View strides: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html


@pytest.mark.parametrize(
    ("size", "stride", "new", "expected"),
    [
        ((2, 3), (3, 1), (6,), (1,)),
        ((2, 3), (1, 2), (6,), None),
        ((4, 6), (12, 1), (2, 2, 3, 2), (24, 12, 2, 1)),
        ((4, 6), (12, 2), (24,), (2,)),
        ((4, 6), (12, 1), (8, 3), None),
        ((3, 4), (0, 0), (2, 6), (0, 0)),
        ((4, 1), (4, 7), (2, 2, 1), (8, 4, 7)),
        ((1, 5), (99, 1), (5, 1), (1, 1)),
        ((2, 1, 3), (3, 50, 1), (6,), (1,)),
        ((), (), (1, 1), (1, 1)),
    ],
)
def test_when_a_view_is_possible(size, stride, new, expected):
    t = torch.zeros(200).as_strided(size, stride)
    if expected is None:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            t.view(new)
        assert t.reshape(new).data_ptr() != t.data_ptr()
    else:
        assert t.view(new).stride() == expected
        assert t.reshape(new).data_ptr() == t.data_ptr()


# Another dtype.


def test_bytes_as_another_dtype():
    t = torch.arange(4, dtype=torch.int32)
    v = t.view(torch.int64)
    assert v.tolist() == [1 << 32, (3 << 32) + 2] and v.data_ptr() == t.data_ptr()
    assert t.view(torch.int8).shape == (16,) and t.view(dtype=torch.float32).dtype is torch.float32
    v.zero_()
    assert t.tolist() == [0] * 4 and t._version == 1
    assert not m(grad=True).view(torch.int32).requires_grad


@pytest.mark.parametrize(
    ("what", "words", "f"),
    [
        ("size(-1) must be divisible by 2", "Double|3", lambda t: t.view(torch.float64)),
        ("storage_offset() must be divisible by 2", "Double|1", lambda t: t[:, 1:].view(torch.float64)),
        ("stride(0) must be divisible by 2", "Double|3", lambda t: t[:, :2].view(torch.float64)),
        ("stride(-1) must be 1", "Char|3", lambda t: t.t().view(torch.int8)),
        ("dim() cannot be 0", "Char|", lambda t: t[0, 0].view(torch.int8)),
    ],
)
def test_errors_of_other_dtypes(what, words, f):
    kind, _, got = words.partition("|")
    text = f"self.{what} to view Float as {kind} (different element sizes)" + (got and f", but got {got}")
    with pytest.raises(RuntimeError) as found:
        f(torch.zeros(2, 3))
    assert str(found.value) == text


# as_strided.


@pytest.mark.parametrize(
    ("text", "f"),
    [
        (
            "setStorage: sizes [2], strides [1], storage offset 50, and itemsize 4 requiring a storage size of 208 are "
            "out of bounds for storage of size 64",
            lambda t: t.as_strided((2,), (1,), 50),
        ),
        (
            "as_strided: Negative strides are not supported at the moment, got strides: [-1]",
            lambda t: t.as_strided((2,), (-1,)),
        ),
        ("mismatch in length of strides and shape", lambda t: t.as_strided((2,), (1, 2))),
    ],
)
def test_errors_of_as_strided(text, f):
    with pytest.raises(RuntimeError) as found:
        f(m())
    assert str(found.value) == text


def test_as_strided_looks_at_the_whole_storage():
    t = m()
    assert t[2:].as_strided((2, 2), (4, 1), 0).tolist() == [[0, 1], [4, 5]]
    x = m(grad=True)
    x.as_strided((3, 2), (1, 1)).sum().backward()
    assert x.grad.flatten().tolist()[:5] == [1, 2, 2, 1, 0]


def test_set_to():
    t = m()
    assert t.is_set_to(t.view(16).view(4, 4)) and not t.is_set_to(t.t())
