"""gradcheck accepts right gradients and refuses wrong ones."""

from __future__ import annotations

import importlib

import pytest

from funcgrad import torch
from funcgrad.torch.autograd import Function, gradcheck, gradgradcheck
from funcgrad.torch.autograd.gradcheck import GradcheckError

x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
z = torch.tensor([0.5 + 1j, 1.5 - 2j], dtype=torch.complex128, requires_grad=True)


class Wrong(Function):
    """The identity, but for its derivatives."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g * 2

    @staticmethod
    def jvp(ctx, t):
        return t * 2


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}, {"check_forward_ad": True}, {"check_batched_grad": True}])
@pytest.mark.parametrize("f", [lambda x: x.exp() * x, lambda x: (x.sin(), x * 2), lambda x: x.argmax()])
def test_right_gradients(f, options):
    assert gradcheck(f, (x,), **options)


@pytest.mark.parametrize("fast", [False, True])
def test_complex(fast):
    assert gradcheck(lambda z: z * z, (z,), fast_mode=fast, check_forward_ad=True)
    assert gradcheck(lambda z: z.abs(), (z,), fast_mode=fast)


def test_second_order():
    assert gradgradcheck(lambda x: x**3, (x,))
    assert gradgradcheck(
        lambda x: x**3, (x,), fast_mode=True, gen_non_contig_grad_outputs=True, check_fwd_over_rev=True
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor"),
        ({"fast_mode": True}, "in slow mode:"),
        ({"check_forward_ad": True, "check_backward_ad": False}, "Jacobian computed with forward mode mismatch"),
    ],
)
def test_wrong_gradients(options, text):
    with pytest.raises(GradcheckError, match=text):
        gradcheck(Wrong.apply, (x,), **options)
    assert not gradcheck(Wrong.apply, (x,), raise_exception=False, **options)


def test_gradients_that_do_not_depend_on_what_they_are_given():
    class Constant(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return torch.ones_like(g)

    with pytest.raises(GradcheckError):
        gradcheck(Constant.apply, (x,))


def test_inputs():
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        gradcheck(torch.sin, (x.detach(),))
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(torch.sin, (torch.ones(1, dtype=torch.float64).expand(3).requires_grad_(),))
    with (
        pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"),
        pytest.raises(GradcheckError),
    ):
        gradcheck(torch.sin, (torch.ones(2, requires_grad=True),), eps=1e-9)


def test_importing_the_module_does_not_hide_the_function():
    module = importlib.import_module("funcgrad.torch.autograd.gradcheck")
    torch.autograd.gradcheck = module  # as Python does when it is imported first
    assert torch.autograd.gradcheck is gradcheck is module.gradcheck
