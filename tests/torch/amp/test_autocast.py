"""Autocast: each thread has its own, and the tables name operations that there are."""

import threading

import pytest

from funcgrad import torch
from funcgrad.torch.base.modes import state
from funcgrad.torch.declare import autocast
from funcgrad.torch.declare.op import ROWS
from funcgrad.torch.tensor.later import complete


def test_the_tables_name_operations():
    complete()
    assert torch.nn.functional  # declares those of networks
    declared = {n.removeprefix("_nn.").removeprefix("Tensor.").replace(".", "_") for n in ROWS}
    others = {name for row in ROWS.values() for name in row.names}
    assert (autocast._LOWER | autocast._WIDE | autocast._WIDEST) - declared - others == set()


def test_each_thread_has_its_own():
    found = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append(torch.is_autocast_enabled("cpu")))
        thread.start()
        thread.join()
        found.append(torch.is_autocast_enabled("cpu"))
    assert found == [False, True]


def test_an_error_inside_leaves_autocast_as_it_was():
    a = torch.ones(2, 3)
    with torch.autocast("cpu"):
        with pytest.raises(RuntimeError, match="mat1 and mat2"):
            a @ a
        assert torch.is_autocast_enabled("cpu") and (a @ a.t()).dtype is torch.bfloat16
    with pytest.raises(ZeroDivisionError), torch.autocast("cpu"):
        raise ZeroDivisionError
    assert state.autocast is None and state.autocast_cache is None


def test_gradients_are_those_of_full_precision_up_to_bfloat16():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    x, y = torch.randn(5, 4), torch.tensor([0, 1, 1, 0, 1])
    expected = torch.autograd.grad(torch.nn.functional.cross_entropy(model(x), y), list(model.parameters()))
    with torch.autocast("cpu"):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    found = torch.autograd.grad(loss, list(model.parameters()))
    for f, e in zip(found, expected, strict=True):
        assert f.dtype is torch.float32
        assert torch.allclose(f, e, rtol=0.05, atol=0.01)


def test_what_is_cast_without_gradients_does_not_hide_a_parameter_later_in_the_block():
    w, x = torch.ones(2, 2, requires_grad=True), torch.ones(1, 2)
    with torch.autocast("cpu"):
        with torch.no_grad():
            assert not (x @ w).requires_grad
        (x @ w).sum().backward()
    assert w.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_computes_again_in_the_precision_of_the_first_time(use_reentrant):
    w, x = torch.eye(2, requires_grad=True), torch.tensor([[1.0, 2.0]], requires_grad=True)
    seen = []

    def f(x):
        y = x @ w
        seen.append(y.dtype)
        return (y * y).sum()

    with torch.autocast("cpu"):
        loss = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=use_reentrant)
    loss.backward()
    assert seen == [torch.bfloat16] * 2
    assert x.grad.tolist() == [[2.0, 4.0]] and not torch.is_autocast_enabled("cpu")
    assert state.autocast is None and state.autocast_cache is None


def test_cache_enabled_is_a_bool():
    try:
        with pytest.raises(TypeError, match="enabled must be a bool"), torch.autocast("cpu", cache_enabled=1):
            pass
    finally:
        autocast.leave("cpu", False, torch.bfloat16, True)
