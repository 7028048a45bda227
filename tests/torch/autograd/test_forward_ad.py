"""Forward mode: dual tensors, and how tangents travel."""

from __future__ import annotations

import pytest

from funcgrad import torch
from funcgrad.torch.autograd import forward_ad as fw


def dual(*values: float) -> torch.Tensor:
    return fw.make_dual(torch.tensor(values), torch.ones(len(values)))


def test_tangents_of_operations_and_views():
    with fw.dual_level():
        x = dual(1.0, 2.0)
        assert fw.unpack_dual(x * x).tangent.tolist() == [2.0, 4.0]
        assert fw.unpack_dual(x[1] * 3).tangent.item() == 3.0
        assert fw.unpack_dual(x.exp().sum()).tangent.item() == pytest.approx(2.718281828 + 7.389056099)
        with torch.no_grad():
            assert fw.unpack_dual(x * 3).tangent.tolist() == [3.0, 3.0]
        with fw._set_fwd_grad_enabled(False):
            assert fw.unpack_dual(x * 3).tangent is None
        assert fw.unpack_dual(x.detach()).tangent is None


def test_writing_into_a_tensor_gives_it_a_tangent():
    with fw.dual_level():
        x, y = dual(1.0, 2.0), torch.zeros(3)
        y[:2] = x * 5
        assert fw.unpack_dual(y).tangent.tolist() == [5.0, 5.0, 0.0]


def test_leaving_the_level_forgets_tangents():
    with fw.dual_level():
        x = dual(1.0)
        y = x * 2
        assert repr(y) == "tensor([2.], tangent=tensor([2.]))"
        assert fw._current_level == 0
    assert (fw.unpack_dual(x, level=0).tangent, fw.unpack_dual(y).tangent, repr(y)) == (None, None, "tensor([2.])")
    assert fw._current_level == -1


def test_the_parts_of_a_dual_tensor():
    x, t = torch.ones(2), torch.ones(2)
    with fw.dual_level():
        d = fw.make_dual(x, t)
        primal, tangent = fw.unpack_dual(d)
        assert tangent is t
        assert primal._base is x
        assert d._base is x
        turned = torch.ones(3, 2).t()
        assert fw.unpack_dual(fw.make_dual(torch.ones(2, 3), turned)).tangent.stride() == (3, 1)


def test_forward_over_reverse_and_reverse_over_forward():
    with fw.dual_level():
        x = dual(1.0, 2.0)
        (g,) = torch.autograd.grad((x.requires_grad_() ** 3).sum(), x)
        assert fw.unpack_dual(g).tangent.tolist() == [6.0, 12.0]
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        y = (fw.make_dual(x, torch.ones(2)) ** 3).sum()
        (g,) = torch.autograd.grad(fw.unpack_dual(y).tangent, x)
        assert g.tolist() == [6.0, 12.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: fw.make_dual(x.long(), x), ValueError, "Expected primal to be floating point or complex, but got: torch.int64"),  # noqa: E501
        (lambda x: fw.make_dual(x, x.long()), ValueError, "Expected tangent to be floating point or complex, but got: torch.int64"),  # noqa: E501
        (lambda x: fw.make_dual(x, torch.ones(3)), RuntimeError, "Trying to set a forward gradient that has a different size"),  # noqa: E501
        (lambda x: fw.make_dual(fw.make_dual(x, x), x), RuntimeError, "already has a forward gradient at the same level 0"),  # noqa: E501
        (lambda x: fw.enter_dual_level(), RuntimeError, "Nested forward mode AD is not supported at the moment"),
        (lambda x: fw.exit_dual_level(level=3), RuntimeError, "Trying to exit a forward AD level that was not the last one"),  # noqa: E501
        (lambda x: torch.add(fw.make_dual(x, x), x, out=torch.ones(2)), NotImplementedError, "because it is an out= function"),  # noqa: E501
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with fw.dual_level(), pytest.raises(error, match=text):
        call(torch.ones(2))


def test_no_level():
    with pytest.raises(RuntimeError, match="no level exists, make sure to enter_dual_level"):
        fw.make_dual(torch.ones(1), torch.ones(1))
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fw.exit_dual_level()
