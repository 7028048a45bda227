"""A step in memory and a step of torch's operations are one rule: they agree, and both are seen by autograd."""

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch.optim import _update

CASES = [
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"maximize": True}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {}),
    ("NAdam", {"weight_decay": 0.1}),
    ("RAdam", {"betas": (0.9, 0.99)}),
    ("Adamax", {}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Rprop", {}),
    ("ASGD", {"t0": 2}),
]


def trained(name, options, p, lr=0.05, steps=7):
    optimizer = getattr(torch.optim, name)([p], lr=lr, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        ((p - 0.3) ** 2 * p.detach().abs()).sum().backward()
        optimizer.step()
    return p.detach().numpy()


def start(shape=(3, 4), dtype=torch.float32):
    return torch.tensor(np.random.default_rng(0).standard_normal(shape), dtype=dtype)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_all_ways_of_a_step_agree(name, options, monkeypatch):
    taken = []
    in_memory = _update._in_memory
    monkeypatch.setattr(_update, "_in_memory", lambda tensors: taken.append(in_memory(tensors)) or taken[-1])
    found = trained(name, options, start().requires_grad_())
    assert all(values is not None for values in taken)
    taken.clear()
    transposed = start().t().contiguous().t().requires_grad_()
    np.testing.assert_allclose(trained(name, options, transposed), found, rtol=2e-5, atol=2e-6)
    assert all(values is None for values in taken)
    with_tensor = trained(name, options, start().requires_grad_(), lr=torch.tensor(0.05))
    np.testing.assert_allclose(with_tensor, found, rtol=2e-5, atol=2e-6)
    double = trained(name, options, start(dtype=torch.float64).requires_grad_())
    np.testing.assert_allclose(double, found, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("momentum", [0, 0.9])
def test_a_step_of_sgd_is_the_closed_form(momentum):
    p = start(dtype=torch.float64).requires_grad_()
    x, v = p.detach().numpy().copy(), 0.0
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=momentum)
    for _ in range(3):
        optimizer.zero_grad()
        (p**2).sum().backward()
        optimizer.step()
        v = momentum * v + 2 * x
        x = x - 0.1 * v
    np.testing.assert_allclose(p.detach().numpy(), x, rtol=1e-14)


def test_backward_notices_that_a_step_has_changed_what_it_saved():
    p = start().requires_grad_()
    loss = (p**2).sum()
    p.grad = torch.ones_like(p)
    torch.optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_parameters_that_share_memory_are_written_where_they_are():
    flat = torch.zeros(6)
    parts = [flat[:4].view(2, 2).requires_grad_(), flat[4:].requires_grad_()]
    for p in parts:
        p.grad = torch.ones_like(p)
    torch.optim.SGD(parts, lr=1.0).step()
    assert flat.tolist() == [-1.0] * 6


def test_steps_are_seen_by_tensors_that_watch_writing():
    p = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        loss = (p**2).sum()
        p.grad = torch.ones(2)
        torch.optim.SGD([p], lr=1.0).step()
        p.grad = None
        loss.backward()
    assert p.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("name", "options"), [c for c in CASES if c[0] not in ("Adamax", "Rprop") and "amsgrad" not in c[1]]
)
def test_recorded_steps_have_the_derivatives_that_differences_give(name, options):
    def after(p, g):
        p = p.clone()
        optimizer = getattr(torch.optim, name)([p], lr=0.05, differentiable=True, **options)
        for _ in range(2):
            p.grad = g
            optimizer.step()
        return p

    p, g = start((3,), torch.float64).requires_grad_(), (start((3,), torch.float64) + 2).requires_grad_()
    assert torch.autograd.gradcheck(after, (p, g), atol=1e-4)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_a_fused_step_that_is_left_out_leaves_the_gradients_scaled(name):
    p = torch.ones(2, requires_grad=True)
    optimizer = getattr(torch.optim, name)([p], lr=0.5, fused=True)
    optimizer.grad_scale, optimizer.found_inf = torch.tensor(4.0), torch.tensor(1.0)
    p.grad = torch.tensor([4.0, float("inf")])
    optimizer.step()
    assert p.tolist() == [1.0, 1.0] and p.grad.tolist() == [4.0, float("inf")]
    optimizer.found_inf = torch.tensor(0.0)
    p.grad = torch.tensor([4.0, 8.0])
    optimizer.step()
    assert p.grad.tolist() == [1.0, 2.0]


def test_numbers_of_numpy_leave_the_dtype_of_a_state():
    found = []
    for number in float, np.float64:
        p = start().requires_grad_()
        optimizer = torch.optim.SGD([p], lr=number(0.1), momentum=number(0.9), weight_decay=number(0.1))
        for _ in range(2):
            p.grad = torch.ones_like(p)
            optimizer.step()
        assert optimizer.state[p]["momentum_buffer"].dtype is torch.float32
        found.append(p.detach())
    assert torch.equal(*found)


@pytest.mark.parametrize("shape", [(3,), ()])
def test_a_gradient_that_is_nan_leaves_a_parameter_of_rprop_where_it_is(shape):
    p = torch.ones(shape, requires_grad=True)
    optimizer = torch.optim.Rprop([p], lr=0.25)
    for gradient in (1.0, float("nan"), 1.0):
        p.grad = torch.full(shape, gradient)
        optimizer.step()
    assert torch.equal(p, torch.full(shape, 0.5))
    assert torch.equal(optimizer.state[p]["step_size"], torch.full(shape, 0.25))


def test_a_step_of_lbfgs_without_iterations_evaluates_the_loss_alone():
    p = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([p], max_iter=0)

    def closure():
        optimizer.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    assert [optimizer.step(closure).item() for _ in range(2)] == [2.0, 2.0]
    assert p.tolist() == [1.0, 1.0]


def test_the_variance_of_rmsprop_is_rounded_once_in_low_precision():
    g = start((200,)).bfloat16()
    p = torch.zeros(200, dtype=torch.bfloat16, requires_grad=True)
    p.grad = g
    optimizer = torch.optim.RMSprop([p], lr=0.125, centered=True)
    optimizer.step()
    squares, mean = [optimizer.state[p][name].double() for name in ("square_avg", "grad_avg")]
    root = (squares - mean * mean).bfloat16().sqrt() + 1e-8
    assert torch.equal(p, torch.zeros_like(p).addcdiv(g, root, value=-0.125))
