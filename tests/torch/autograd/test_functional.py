"""torch.autograd.functional against closed forms."""

from __future__ import annotations

import pytest

from funcgrad import torch
from funcgrad.torch.autograd import functional

x = torch.tensor([1.0, 2.0])
A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def cubes(x):
    return (x**3).sum()


@pytest.mark.parametrize(
    "options", [{}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}, {"create_graph": True}]
)
def test_jacobian(options):
    assert functional.jacobian(lambda x: A @ x, x, **options).tolist() == A.tolist()
    found = functional.jacobian(lambda x, y: (x * y, x + y), (x, x * 3), **options)
    assert [[j.diagonal().tolist() for j in row] for row in found] == [
        [[3.0, 6.0], [1.0, 2.0]],
        [[1.0, 1.0], [1.0, 1.0]],
    ]


@pytest.mark.parametrize(
    "options", [{}, {"vectorize": True}, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}]
)
def test_hessian(options):
    assert functional.hessian(cubes, x, **options).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    found = functional.hessian(lambda x, y: (x * x * y).sum(), (x, x * 3), **options)
    assert found[0][1].tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_products():
    v = torch.tensor([1.0, 10.0])
    out, found = functional.vjp(lambda x: A @ x, x, torch.ones(3))
    assert (out.tolist(), found.tolist()) == ([5.0, 11.0, 17.0], [9.0, 12.0])
    assert functional.jvp(lambda x: A @ x, x, v)[1].tolist() == [21.0, 43.0, 65.0]
    assert functional.vhp(cubes, x, v)[1].tolist() == functional.hvp(cubes, x, v)[1].tolist() == [6.0, 120.0]
    assert functional.vjp(lambda x: x * x, torch.tensor(3.0))[1].item() == 6.0


def test_create_graph():
    y = x.clone().requires_grad_()
    _, found = functional.hvp(cubes, y, torch.ones(2), create_graph=True)
    assert torch.autograd.grad(found.sum(), y)[0].tolist() == [6.0, 6.0]
    assert not functional.hvp(cubes, y, torch.ones(2))[1].requires_grad


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: functional.jacobian(lambda x: torch.ones(1), x, strict=True), RuntimeError, "Output 0 of the user-provided function does not require gradients"),  # noqa: E501
        (lambda: functional.jacobian(lambda x, y: x * 1, (x, x), strict=True), RuntimeError, "Output 0 of the user-provided function is independent of input 1"),  # noqa: E501
        (lambda: functional.hessian(lambda x: (x * 2).sum(), x, strict=True), RuntimeError, "found that the jacobian of the user-provided function with respect to input 0 is independent"),  # noqa: E501
        (lambda: functional.vjp(lambda x: x * 2, x, torch.ones(3)), RuntimeError, r"v has invalid size: should be torch.Size\(\[2\]\) but got torch.Size\(\[3\]\)"),  # noqa: E501
        (lambda: functional.vjp(lambda x: x * 2, x), RuntimeError, "The vector v can only be None if"),
        (lambda: functional.hvp(lambda x: x * 2, x, x), RuntimeError, "The Tensor returned by the function given to hvp should contain a single element"),  # noqa: E501
        (lambda: functional.jacobian(lambda x: 3, x), TypeError, "The outputs of the user-provided function given to jacobian must be either a Tensor"),  # noqa: E501
        (lambda: functional.jacobian(lambda x: x, x, strategy="forward-mode"), NotImplementedError, "only implemented for `vectorize=True`"),  # noqa: E501
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
