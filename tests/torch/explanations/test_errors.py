"""torch.explain() after an error about gradients."""

import copy
import sys

import pytest

from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.tensor.journal import journal


def told(f):
    """What is told of the error that a function raises."""
    try:
        f()
    except (RuntimeError, ValueError):
        return torch.explain()
    raise AssertionError("no error")


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_no_history(x):
    z = (x * 2).detach()
    loss = z.sum()
    found = told(lambda: loss.backward())
    assert found.text.startswith(
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn\n"
    )
    assert "found = told(lambda: loss.backward())" in found.text
    assert [c.place.text for c in found.cuts] == ["z = (x * 2).detach()"] and found.remedies[0].instead == "z = (x * 2)"


def test_nothing_requires_grad():
    a = torch.ones(2)
    found = told(lambda: (a * 2).sum().backward())
    assert not any("is what you want to train" in r.text for r in found.remedies) and found.remedies


def test_a_second_time(x):
    loss = (x * x).sum()
    loss.backward()
    found = told(lambda: loss.backward())
    assert "RuntimeError: Trying to backward through the graph a second time\n" in found.text
    assert "The first time was\n" in found.text and "loss = (x * x).sum()" in found.text
    assert [r.text for r in found.remedies] == [
        "call backward() once for each result",
        "keep the graph the first time: backward(retain_graph=True)",
    ]


def test_two_losses_of_one_graph(x):
    y = x * x
    y.sum().backward()
    found = told(lambda: y.mean().backward())
    assert "y = x * x" in found.text and found.remedies[0].text.startswith("add the losses")


def test_a_state_that_is_carried_on():
    cell = nn.RNNCell(2, 3)
    h = torch.zeros(1, 3)

    def loop():
        nonlocal h
        for _ in range(2):
            h = cell(torch.ones(1, 2), h)
            h.sum().backward()

    found = told(loop)
    assert found.remedies[0].text.endswith("after backward(): h = h.detach()")
    assert found.remedies[0].place.text == "h = cell(torch.ones(1, 2), h)"


def test_a_state_of_an_lstm_and_of_a_module():
    lstm, state = nn.LSTM(2, 3), None
    cell = nn.GRUCell(2, 3)
    cell.h = torch.zeros(1, 3)

    def of_an_lstm():
        nonlocal state
        for _ in range(2):
            out, state = lstm(torch.ones(1, 2), state)
            out.sum().backward()

    def of_a_module():
        for _ in range(2):
            cell.h = cell(torch.ones(1, 2), cell.h)
            cell.h.sum().backward()

    for loop, detached in (
        (of_an_lstm, "state = tuple(part.detach() for part in state)"),
        (of_a_module, "cell.h = cell.h.detach()"),
    ):
        assert told(loop).remedies[0].text.endswith(f"after backward(): {detached}")
        assert torch.explain().remedies[0].text.endswith(f"after backward(): {detached}")


def test_a_module_that_runs_again_on_what_it_computed():
    cell, other = nn.RNNCell(2, 3), nn.Linear(3, 3)
    h = cell(torch.ones(1, 2))
    h.sum().backward()
    h = cell(torch.ones(1, 2), h)
    found = told(lambda: h.sum().backward())
    assert "The same module ran again" in found.text and found.remedies[0].text.endswith(": h = h.detach()")
    features = other(torch.ones(1, 3))
    nn.Linear(3, 1)(features).sum().backward()
    result = nn.Linear(3, 1)(features).sum()
    for _ in range(2):  # what failed is not the first time
        found = told(lambda: result.backward())
        assert found.remedies[0].text.startswith("add the losses") and "features = other" in found.text
        assert "The first time was\n    test_errors.py" in found.text
        assert "nn.Linear(3, 1)(features).sum().backward()" in found.text


def test_computed_before_the_loop(x):
    features = x * x

    def loop():
        for _ in range(2):
            features.sum().backward()

    found = told(loop)
    assert found.remedies[0].text.startswith("move this line into the loop")
    assert found.remedies[0].place.text == "features = x * x"


def test_written_over(x):
    e = x.exp()
    e.mul_(2)
    found = told(lambda: e.sum().backward())
    assert found.changed[0].writer.place.text == "e.mul_(2)" and "e = x.exp()" in found.text


def test_a_leaf_written_over(x):
    found = told(lambda: x.add_(1))
    assert "x is a leaf that requires grad" in found.text and "torch.no_grad()" in found.remedies[0].text


def test_numpy(x):
    y = x * 2
    found = told(lambda: y.numpy())
    assert found.remedies[0].text == "to look at the values: y.detach().numpy()" and "y = x * 2" in found.text


def test_no_scalar(x):
    y = x * 2
    found = told(lambda: y.backward())
    assert "It has the shape (2,)." in found.text and "y.mean().backward()" in found.remedies[0].text

    def unnamed():
        (x * 2).backward()

    assert "(x * 2).mean().backward()" in told(unnamed).remedies[0].text


def test_not_used(x):
    other = torch.ones(1, requires_grad=True)
    found = told(lambda: torch.autograd.grad((x * 2).sum(), [x, other]))
    assert "No path leads from other to" in found.text and "from x to" not in found.text
    assert "allow_unused=True" in found.remedies[-1].text


def test_an_input_that_does_not_require_grad(x):
    c = torch.ones(1)
    found = told(lambda: torch.autograd.grad((x * c).sum(), c))
    assert "c requires no grad" in found.text


def test_flags_leaves_and_integers(x):
    y = x * 2
    assert "the result of an operation" in told(lambda: y.requires_grad_(False)).text

    def switch():
        y.detach().sum().requires_grad_()
        y.requires_grad = False

    assert "y = y.detach()" in told(switch).remedies[0].text
    assert "make a leaf of its values" in told(lambda: torch.optim.SGD([y], lr=0.1)).remedies[1].text
    assert "Only leaves can be" in told(lambda: copy.deepcopy(y)).text
    assert "dtype=torch.float32" in told(lambda: torch.ones(2, dtype=torch.int64).requires_grad_()).remedies[0].text


def test_other_errors():
    assert "no error about gradients that is known" in told(lambda: torch.ones(2) @ torch.ones(3)).text


def test_the_last_error_of_a_session(x, monkeypatch):
    loss = (x * 2).detach().sum()
    with pytest.raises(RuntimeError) as caught:
        loss.backward()
    found = torch.explain()  # the error is gone, its text and the entry are not
    assert "element 0 of tensors" in found.text and "loss = (x * 2).detach().sum()" in found.text
    monkeypatch.setattr(sys, "last_value", caught.value, raising=False)
    assert "loss = (x * 2).detach().sum()" in torch.explain().text


def test_the_last_refusal_of_a_session(x):
    y = x * 2
    for refused, line, remedy in (
        (lambda: x.add_(1), "x = torch", "if it is an update"),
        (lambda: x[0].zero_(), "x[0].zero_()", "if it is an update"),
        (lambda: y.numpy(), "y = x * 2", "to look at the values: y.detach().numpy()"),
        (lambda: y.requires_grad_(False), "y = x * 2", "to go on without its history"),
        (lambda: (x * 3).backward(), "(x * 3).backward()", "make it one number: (x * 3).mean().backward()"),
        (lambda: torch.autograd.grad(y.sum(), torch.ones(1)), "grad(y.sum()", ""),
    ):
        with pytest.raises(RuntimeError) as caught:
            refused()
        found = torch.explain()
        assert found.text.startswith("RuntimeError: " + str(caught.value)[:30])
        assert "refused()" in found.text or "lambda: " in found.text
        assert line in found.text and (not remedy or found.remedies[0].text.startswith(remedy))


def test_a_failed_write_changes_nothing(x):
    y = x.exp()
    with torch.set_journal_enabled(False), pytest.raises(RuntimeError):
        x.add_(1)
    assert "leaf Variable" in torch.explain().text
    with pytest.raises(RuntimeError):
        x.mul_(3)
    with torch.no_grad():
        x.mul_(2)
    found = torch.explain(x, (y * x.exp()).sum())
    assert not found.changed and "x.mul_(3)" not in found.text


def test_no_error(monkeypatch):
    monkeypatch.setattr(journal, "failure", "")
    assert "There was no error" in torch.explain().text


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
def test_a_gradient_that_is_none(x):
    w = x

    def loop():
        nonlocal w
        for _ in range(2):
            (w * w).sum().backward()
            w = w - 0.1 * w.grad

    try:
        loop()
    except TypeError:
        found = torch.explain()
    assert "w.grad is None." in found.text and found.remedies[0].instead.startswith("with torch.no_grad():")
    try:
        None + 1
    except TypeError:
        assert "no error about gradients" in torch.explain().text


def test_tensors_of_inference_mode(x):
    with torch.inference_mode():
        features = x.detach() * 2
    found = told(lambda: x * features)
    assert "features = x.detach() * 2" in found.text and "x.clone()" in found.remedies[1].text


def test_a_sum_that_goes_on():
    net = nn.Linear(2, 1)

    def loop():
        total = torch.zeros(1)
        for _ in range(2):
            total += net(torch.ones(1, 2)).square().sum()
            total.backward()

    found = told(loop)
    assert found.remedies[0].text.endswith("add only its value: total += loss.item()")
