"""Random tensors: torch's numbers, generators, and what autograd records of them."""

from __future__ import annotations

import copy
import pickle
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from funcgrad import torch

DIALOGUES = runpy.run_path(str(Path(__file__).parent / "dialogues.py"))


@pytest.mark.parametrize("block", DIALOGUES["blocks"]("random"), ids=DIALOGUES["label"])
def test_as_torch(block: str) -> None:
    assert DIALOGUES["replay"](block, torch) == block


@pytest.mark.parametrize(
    ("state", "name"), [(3, "int"), (torch.Size([1]), "torch.Size"), (np.zeros(5056, "u1"), "numpy.ndarray")]
)
def test_a_state_is_a_tensor_of_bytes(state: object, name: str) -> None:
    with pytest.raises(TypeError, match=f"^expected a torch.ByteTensor, but got {name}$"):
        torch.set_rng_state(state)


def test_the_same_seed_gives_the_same_numbers() -> None:
    torch.manual_seed(7)
    first = torch.randn(5), torch.rand(5), torch.randint(10, (5,)), torch.randperm(5)
    torch.manual_seed(7)
    second = torch.randn(5), torch.rand(5), torch.randint(10, (5,)), torch.randperm(5)
    assert [t.tolist() for t in first] == [t.tolist() for t in second]


def test_fork_rng_leaves_the_generator_alone() -> None:
    torch.manual_seed(0)
    with torch.random.fork_rng():
        inside = torch.rand(3)
    assert inside.tolist() == torch.rand(3).tolist()
    with torch.random.fork_rng(enabled=False):
        inside = torch.rand(3)
    assert inside.tolist() != torch.rand(3).tolist()


def test_state_of_the_default_generator() -> None:
    state = torch.get_rng_state()
    assert state.dtype is torch.uint8
    a = torch.rand(4)
    torch.set_rng_state(state)
    assert torch.rand(4).tolist() == a.tolist()


def test_generators_are_independent_and_can_be_copied() -> None:
    g = torch.Generator().manual_seed(3)
    others = copy.deepcopy(g), pickle.loads(pickle.dumps(g)), g.clone_state()
    expected = torch.rand(3, generator=g).tolist()
    for other in others:
        assert torch.rand(3, generator=other).tolist() == expected


def test_views_are_filled_in_the_order_of_memory() -> None:
    torch.manual_seed(0)
    x = torch.zeros(3, 4).t().uniform_()
    torch.manual_seed(0)
    y = torch.zeros(3, 4).uniform_()
    assert x.tolist() == y.t().tolist()


def test_gradient_is_zero_through_in_place_noise() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.normal_()
    (y.sum() + (3 * x).sum()).backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def test_dropout_keeps_the_mean() -> None:
    torch.manual_seed(0)
    x = torch.ones(20000, requires_grad=True)
    y = torch.dropout(x, 0.3, train=True)
    assert abs(y.mean().item() - 1) < 0.02
    (g,) = torch.autograd.grad(y.sum(), x)
    np.testing.assert_array_equal(g.numpy(), y.detach().numpy())


@pytest.mark.parametrize(
    ("draw", "all_at_once"),
    [
        (lambda a: torch.rand(2), lambda: torch.rand(3, 2)),
        (lambda a: torch.randn_like(a), lambda: torch.randn(3, 2)),
        (lambda a: a.clone().normal_(), lambda: torch.randn(3, 2)),
        (lambda a: torch.bernoulli(a + 0.5), lambda: torch.bernoulli(torch.full((3, 2), 0.5))),
    ],
)
def test_randomness_of_vmap(draw: Callable, all_at_once: Callable) -> None:
    x = torch.zeros(3, 2)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        torch.vmap(draw)(x)
    torch.manual_seed(0)
    different = torch.vmap(draw, randomness="different")(x)
    torch.manual_seed(0)
    assert different.tolist() == all_at_once().tolist()


def test_the_same_randomness_for_all_examples() -> None:
    rows = torch.vmap(lambda a: a + torch.rand(2), randomness="same")(torch.zeros(3, 2)).tolist()
    assert rows[0] == rows[1] == rows[2]
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor input"):
        torch.vmap(torch.bernoulli, randomness="same")(torch.ones(3, 2))
