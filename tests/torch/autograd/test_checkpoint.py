"""Checkpoints: what is computed again, and that it is the same."""

from __future__ import annotations

import warnings

import pytest

from funcgrad import torch
from funcgrad.torch.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

both = pytest.mark.parametrize("use_reentrant", [True, False])


def leaf() -> torch.Tensor:
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


@both
def test_the_function_is_called_again_in_backward(use_reentrant):
    calls = []

    def f(x):
        calls.append(torch.is_grad_enabled())
        return (x * x).exp()

    x = leaf()
    y = checkpoint(f, x, use_reentrant=use_reentrant)
    assert y.grad_fn.name() == ("CheckpointFunctionBackward" if use_reentrant else "ExpBackward0")
    y.sum().backward()
    assert len(calls) == 2
    assert torch.allclose(x.grad, (2 * x * (x * x).exp()).detach())


@both
def test_random_numbers_are_the_same_again(use_reentrant):
    torch.manual_seed(0)
    x = leaf()
    y = checkpoint(lambda x: x * x * torch.rand(3), x, use_reentrant=use_reentrant)
    after = torch.get_rng_state()
    y.sum().backward()
    assert torch.allclose(x.grad, (2 * y / x).detach())
    assert torch.equal(torch.get_rng_state(), after)


def test_higher_derivatives_nesting_and_arguments():
    x = leaf()
    y = checkpoint(
        lambda x, k: checkpoint(lambda x: x * x, x, use_reentrant=False) * x * k, x, k=2.0, use_reentrant=False
    )
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.allclose(g, 6 * x * x)
    assert torch.allclose(torch.autograd.grad(g.sum(), x)[0], 12 * x)


def test_retained_graphs():
    x = leaf()
    y = checkpoint(lambda x: x * x, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_sequences():
    x = leaf()
    steps = [torch.exp, torch.sin, torch.cos, torch.tanh]
    checkpoint_sequential(steps, 2, x, use_reentrant=False).sum().backward()
    expected = leaf()
    torch.tanh(torch.cos(torch.sin(torch.exp(expected)))).sum().backward()
    assert torch.allclose(x.grad, expected.grad)


def changing(first, second):
    """A function that is another one when it is called again."""
    functions = iter((first, second))
    return lambda x: next(functions)(x)


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (lambda x: x * 2, "A different number of tensors was saved during the original forward and recomputation"),
        (lambda x: (x * torch.ones(2, 3)).exp(), "have different metadata than during the forward pass"),
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_functions_that_change(second, text, debug):
    y = checkpoint(changing(lambda x: x * x, second), leaf(), use_reentrant=False, debug=debug)
    with pytest.raises(CheckpointError, match="Detected non-determinism" if debug else text):
        y.sum().backward()


def test_early_stop():
    f = changing(lambda x: x * x, lambda x: (x * x).exp().exp())
    checkpoint(f, leaf(), use_reentrant=False).sum().backward()
    f = changing(lambda x: x * x, lambda x: (x * x).exp().exp())
    with set_checkpoint_early_stop(False):
        y = checkpoint(f, leaf(), use_reentrant=False)
    with pytest.raises(CheckpointError, match="trying to save more tensors during recomputation"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"use_reentrant": True, "k": 3}, "Unexpected keyword arguments: k"),
        ({"use_reentrant": True, "debug": True}, "Passing `context_fn` or `debug` is only supported when"),
        ({"use_reentrant": False, "determinism_check": "x"}, "determinism_check should be one of"),
    ],
)
def test_wrong_arguments(options, text):
    with pytest.raises(ValueError, match=text):
        checkpoint(torch.exp, leaf(), **options)


def test_reentrant_checkpoints_are_for_backward_to_leaves():
    x = leaf()
    with pytest.raises(RuntimeError, match="is incompatible with"):
        torch.autograd.grad(checkpoint(torch.exp, x, use_reentrant=True).sum(), x)


def test_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checkpoint(torch.exp, torch.ones(2))
    assert [str(w.message)[:45] for w in caught] == [
        "torch.utils.checkpoint: the use_reentrant par",
        "None of the inputs have requires_grad=True. G",
    ]
