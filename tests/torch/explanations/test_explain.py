"""torch.explain of tensors, of a tensor and a loss, and of modules: causes, lines and remedies."""

import copy
import warnings

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch import nn


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def cut_lines(found):
    return [(e.cut, e.place.text) for e in found.cuts]


# A tensor.


def test_a_result_is_no_leaf(x):
    y = x * 2
    found = torch.explain(y)
    assert (found.leaf, found.requires_grad, found.fills_grad) == (False, True, False)
    assert found.text.startswith("y is no leaf: mul made it.\n    test_explain.py:")
    assert "return torch.tensor([1.0, 2.0], requires_grad=True)" in found.text  # of what it comes
    assert found.remedies[0].text.endswith("call y.retain_grad() before backward()")
    y.retain_grad()
    assert torch.explain(y).fills_grad and repr(found) == str(found) == found.text


def test_a_leaf_that_was_changed_in_the_line_that_made_it():
    w = torch.ones(3, requires_grad=True) * 0.1
    found = torch.explain(w)
    assert found.remedies[0].instead == "w = torch.ones(3) * 0.1\nw.requires_grad_()"
    assert "in the same line, which no variable holds" in found.text


def test_a_leaf_that_was_converted(x):
    v = x.double()
    found = torch.explain(v)
    assert "a conversion (.to(), .float(), .double(), .half()) made it" in found.text
    assert found.remedies[0].instead == "v = v.detach().requires_grad_()"
    assert found.remedies[0].place.text == "v = x.double()"


def test_a_constant():
    found = torch.explain(torch.ones(2))
    assert (found.leaf, found.requires_grad, found.fills_grad) == (True, False, False)
    assert "Nothing that it is made of required grad." in found.text


def test_a_constant_that_was_cut_off(x):
    hidden = x * 2
    z = hidden.detach()
    found = torch.explain(z + 1)
    assert cut_lines(found) == [("detach()", "z = hidden.detach()")]
    assert found.remedies[0].instead == "z = hidden"
    assert "hidden = x * 2" in found.text  # what was cut off


def test_a_constant_of_integers(x):
    found = torch.explain(x.argmax())
    assert found.cuts[0].cut == "integers" and "only floating point and complex tensors" in found.text


def test_a_constant_of_numpys_numbers(x):
    array = np.sin((x * 2).detach().numpy())
    z = torch.from_numpy(array).sum()
    found = torch.explain(z)
    assert cut_lines(found) == [("numpy()", "array = np.sin((x * 2).detach().numpy())")]
    assert "It was made of numbers" in found.text


def test_frozen(x):
    x.requires_grad_(False)
    assert not torch.explain(x).requires_grad
    assert torch.explain(x.detach_()).requires_grad is False


def test_a_leaf_before_and_after_backward(x):
    assert "backward() has not run" in torch.explain(x).text
    (x * 2).sum().backward()
    found = torch.explain(x)
    assert found.fills_grad and "x.grad is filled. backward() ran in" in found.text and not found.remedies
    (x * 3).sum().backward()
    found = torch.explain(x)
    assert "the sum over 2 calls of backward()" in found.text and "zero_grad" in found.remedies[0].text
    optimizer = torch.optim.SGD([x], lr=0.1)
    optimizer.zero_grad()
    found = torch.explain(x)
    assert "it was cleared after the last backward()" in found.text
    assert found.remedies[0].place.text == "optimizer.zero_grad()"
    (x * 3).sum().backward()
    assert "x.grad is filled" in torch.explain(x).text


def test_a_leaf_that_the_loss_does_not_use(x):
    other = torch.ones(2, requires_grad=True)
    unused = other * 2  # noqa: F841  (that it is not used is what is told)
    (x * 2).sum().backward()
    found = torch.explain(other)
    assert "No path leads from other to its loss" in found.text and "unused = other * 2" in found.text


def test_a_leaf_that_was_cut_off(x):
    kept = (x * 2).detach().requires_grad_()
    kept.sum().backward()
    found = torch.explain(x)
    assert cut_lines(found) == [("detach()", "kept = (x * 2).detach().requires_grad_()")]
    found = torch.explain(kept)
    assert "to them no gradient passes from kept" in found.text


def test_a_parameter_that_was_wrapped_again(x):
    p = nn.Parameter(x * 2)
    p.sum().backward()
    found = torch.explain(x)
    assert [c.cut for c in found.cuts] == ["Parameter"] and "It is an nn.Parameter" in torch.explain(p).text


def test_a_backward_of_what_has_no_history(x):
    other = torch.ones(1, requires_grad=True)
    other.backward()
    assert "No path leads from x" in torch.explain(x).text


# A tensor and a loss.

CUTS = {
    "y.detach() ** 2": ("detach()", "loss = y ** 2"),
    "y.data ** 2": (".data", "loss = y ** 2"),
    "torch.tensor(y)": ("copy", ""),
    "y.long().float()": ("integers", ""),
    "(y > 1).float()": ("booleans", ""),
    "torch.histc(y, 3)": ("a result without derivative", ""),
}


@pytest.mark.parametrize("text", CUTS)
def test_the_cut_on_the_path(x, text):
    scope = {"torch": torch, "y": x * 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        exec(f"loss = {text}", scope)
    found = torch.explain(x, scope["loss"].sum())
    assert [c.cut for c in found.cuts] == [CUTS[text][0]] and found.path_count == 0 and not found.fills_grad
    assert len(found.remedies) == 1


def test_no_grad_on_one_of_two_paths(x):
    with torch.no_grad():
        scaled = x / x.sum()
    loss = (scaled * x).sum()
    found = torch.explain(x, loss)
    assert found.path_count == 1 and found.fills_grad
    assert {c.cut for c in found.cuts} == {"no_grad"} and len(found.remedies) == 1
    assert found.remedies[0].text.startswith("if that is not meant, compute this line outside of torch.no_grad()")
    assert [e.what for e in found.paths[0].entries] == ["mul", "sum"]


def test_numbers_in_between(x):
    loss = torch.tensor((x * 2).sum().item(), requires_grad=True)
    found = torch.explain(x, loss)
    assert found.cuts[0].cut == "item()" and "values left the graph through item()" in found.text
    assert found.remedies[0].instead == "loss = torch.tensor((x * 2).sum(), requires_grad=True)"
    loss = torch.as_tensor(np.exp((x * 2).detach().numpy())).sum() + x.sum()
    found = torch.explain(x, loss)
    assert found.path_count == 1 and [c.cut for c in found.cuts] == ["numpy()"]


def test_cuts_one_after_the_other(x):
    y = (x * 2).detach()
    found = torch.explain(x, y.detach().sum())
    assert cut_lines(found) == [("detach()", "y = (x * 2).detach()")] and "it would be cut again" in found.text


def test_many_paths_are_counted(x):
    y = x
    for _ in range(40):
        y = y.sin() + y.cos()
    found = torch.explain(x, y.sum())
    assert found.path_count == 2**40 and len(found.paths) == 3 and "The 3 shortest:" in found.text


def test_flat_operations(x):
    found = torch.explain(x, x.round().sum())
    assert found.paths[0].flat.what == "round" and "The gradient is zero" in found.text


def test_declared_too_late():
    a = torch.ones(2)
    b = a * 3
    a.requires_grad_()
    found = torch.explain(a, b.sum())
    assert found.remedies[0].place.text == "a.requires_grad_()" and "only from this line on" in found.text
    found = torch.explain(b)
    assert "a.requires_grad_()" in found.text


def test_neither_requires_grad():
    found = torch.explain(torch.ones(1), torch.ones(1))
    assert "there is nothing to follow" in found.text


def test_the_same_tensor_and_a_result_on_the_way(x):
    y = x * 2
    assert "are the same tensor" in torch.explain(y, y).text
    found = torch.explain(y, y.sum())
    assert found.path_count == 1 and not found.fills_grad and "y.retain_grad()" in found.remedies[0].text


def test_what_the_graph_keeps(x):
    loss = (x.exp() * 2).sum()
    found = torch.explain(x, loss)
    assert found.kept == 8 and "keeps 8 bytes for backward" in found.text
    loss.backward()
    found = torch.explain(x, loss)
    assert found.kept == 0 and "freed what it kept" in found.text
    big = torch.ones(1000, 100, requires_grad=True)
    assert "keeps 400 kB" in torch.explain(big, big.exp().sum()).text


def test_what_was_written_over_is_seen_before_backward(x):
    e = x.exp()
    e += 1
    found = torch.explain(x, e.sum())
    (changed,) = found.changed
    assert changed.operation == "exp" and changed.writer.place.text == "e += 1"
    assert found.remedies[0].instead == "e = e + 1"


def test_an_update_between_forward_and_backward(x):
    loss = (x * x).sum()
    with torch.no_grad():
        x.sub_(1.0)
    found = torch.explain(x, loss)
    assert found.changed[0].writer.place.text == "x.sub_(1.0)" and not found.changed[0].instead


def test_views_that_are_written_into(x):
    y = x * 1
    e = y.exp()
    e[0] = 0.0
    assert torch.explain(x, e.sum()).changed[0].writer.place.text == "e[0] = 0.0"


# Modules.


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head, self.spare = nn.Linear(2, 3), nn.Linear(3, 1), nn.Linear(2, 2)

    def forward(self, x):
        return self.head(self.body(x).detach())


def test_a_module():
    net = Net()
    loss = net(torch.ones(4, 2)).mean()
    found = torch.explain(net, loss)
    assert "2 of the 6 parameters of net are reached from loss." in found.text
    assert found.parts["head.weight"].path_count == 1 and found.kept
    loss.backward()
    found = torch.explain(net)
    assert found.text.startswith("2 of the 6 parameters of net have a gradient.")
    assert "body.weight, body.bias:" in found.text and "spare.weight, spare.bias:" in found.text
    assert cut_lines(found) == [("detach()", "return self.head(self.body(x).detach())")]
    assert found.parts["spare.bias"].fills_grad and next(iter(found.parts)) == "body.weight"
    relu = nn.ReLU()
    assert torch.explain(relu).text == "relu has no parameters."


def test_without_the_journal():
    with torch.set_journal_enabled(False):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        loss = y.sum()
        found = torch.explain(x, loss)
    assert found.path_count == 1
    assert "is no leaf" in torch.explain(y).text and "is a leaf" in torch.explain(x).text


def test_wrong_arguments(x):
    with pytest.raises(TypeError, match="a tensor or a module, got int"):
        torch.explain(3)
    with pytest.raises(TypeError, match="a tensor as the loss, got float"):
        torch.explain(x, 1.0)


def test_names(x):
    held, named = [x, 1], {"a": x}
    assert torch.explain(held[0]).about == "x"
    del x
    about = torch.explain(held[0]).about
    assert about == "held[0]"
    held.clear()
    about = torch.explain(named["a"]).about
    assert about == "named['a']"


def test_a_number_that_was_added(x):
    rec = float((x * 2).sum().detach())
    loss = torch.ones(1, requires_grad=True) + rec
    found = torch.explain(x, loss)
    assert "Values of it became numbers through float()" in found.text
    assert found.remedies[0].text.startswith("if loss uses that number, keep the tensor")


def test_numbers_read_from_a_list(x):
    losses = [x[0].detach(), x[1].detach()]
    total = torch.tensor(losses, requires_grad=True)
    assert "detach()" in torch.explain(x, total).text
    parts = [x[0].data * 1.0]
    assert torch.explain(x, torch.tensor(parts)).cuts[0].cut == ".data"


def test_numbers_of_integers_are_told_last(x):
    chosen = x.argmax().item()
    kept = (x * 2).sum().item()
    loss = torch.tensor([chosen, kept], requires_grad=True).sum()
    assert [c.place.text for c in torch.explain(x, loss).cuts] == ["kept = (x * 2).sum().item()"]


def test_gradients_of_a_module_that_add_up():
    model = nn.Linear(2, 1)
    for _ in range(2):
        model(torch.ones(1, 2)).sum().backward()
    found = torch.explain(model)
    assert "2 of the 2 parameters of model have a gradient." in found.text
    assert "the sum over 2 calls" in found.text and "zero_grad" in found.remedies[0].text


def test_a_name_that_passes_to_a_result(x):
    w = x
    w.sum().backward()
    w = w - 0.1 * w.grad
    found = torch.explain(w)
    assert "The leaf that had the name before has none now." in found.text
    assert found.remedies[0].instead == "with torch.no_grad():\n    w -= 0.1 * w.grad"


def test_parameters_that_were_frozen():
    net = nn.Linear(2, 1)
    for p in net.parameters():
        p.requires_grad = False
    loss = net(torch.ones(1, 2)).sum()
    found = torch.explain(loss)
    assert "Somebody switched requires_grad of all that it is computed of off:" in found.text
    assert found.remedies[0].place.text == "p.requires_grad = False"
    assert "switched its requires_grad off" in torch.explain(net.weight).text


def test_an_index_is_a_cut(x):
    table = torch.ones(3, 2, requires_grad=True)
    chosen = nn.functional.one_hot(x.argmax(), 3).float()
    found = torch.explain(x, (chosen @ table).sum())
    assert [c.what for c in found.cuts] == ["argmax"]


def test_written_into_a_part_under_no_grad(x):
    memory = torch.zeros(3, 2)
    with torch.no_grad():
        memory[1] = x * 2
    found = torch.explain(x, (memory * torch.ones(1, requires_grad=True)).sum())
    assert {c.cut for c in found.cuts} == {"no_grad"}


def test_a_copy_is_trained():
    net = nn.Linear(2, 1)
    copied = copy.deepcopy(net)
    copied(torch.ones(1, 2)).sum().backward()
    found = torch.explain(net)
    assert [c.cut for c in found.cuts] == ["deepcopy"] and "by copy.deepcopy" in found.text
    assert "It is a copy, made in" in torch.explain(copied.weight).text


def test_declared_after_the_forward():
    image = torch.ones(2)
    scores = nn.Linear(2, 2)(image)
    image.requires_grad_()
    scores.sum().backward()
    found = torch.explain(image)
    assert found.remedies[0].place.text == "image.requires_grad_()"


def test_cleared_before_the_step():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(1, 2)).sum().backward()
    optimizer.zero_grad()
    optimizer.step()
    found = torch.explain(net.weight)
    assert "step() came after that" in found.text and found.remedies[0].place.text == "optimizer.zero_grad()"


def test_numbers_that_nobody_can_follow(x):
    total = torch.tensor(float(x.detach().sum()))
    found = torch.explain(x, total)
    assert found.cuts[-1].cut == "float()" and "if total uses that number" in found.remedies[0].text
    loss = torch.tensor((x * 2).tolist()).sum()
    assert torch.explain(x, loss).cuts[-1].cut == "tolist()"


def test_a_frozen_tensor_and_its_loss(x):
    net = nn.Linear(2, 1)
    net.weight.requires_grad = False
    loss = net(x).sum()
    found = torch.explain(net.weight, loss)
    assert "switched its requires_grad off" in found.text and "without" not in found.text
    net.weight.requires_grad = True
    found = torch.explain(net.weight, loss)
    assert not found.path_count


def test_conditions_are_no_lost_gradients(x):
    found = torch.explain(x, torch.where(x > 1, x, 0.0).sum())
    assert found.path_count == 1 and not found.remedies and "cut by" not in found.text


def test_what_comes_often_is_said_once(x):
    y = x
    for _ in range(30):
        y = y.sin()
    assert "sin 30 times" in str(torch.explain(x, y.sum()).paths[0])
    for f in ["sin", "cos", "exp", "tanh", "sinh", "cosh", "sin", "cos", "exp", "sin", "cos"]:
        y = getattr(y, f)()
    assert "4 more" in str(torch.explain(x, y.sum()).paths[0])
