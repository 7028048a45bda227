"""`torch.draw`: the nodes of grad_fn, what the journal knows of cuts, and the modules as groups."""

import copy
import gc
import math
import weakref

import numpy as np
import pytest

from funcgrad import torch


def nodes(drawing):
    return {n.name or n.title: n for n in drawing.graph.nodes}


def cuts(drawing):
    """The cut edges, as (source, target, reason, line)."""
    names = {n.id: n.name or n.title for n in drawing.graph.nodes}
    return [(names[e.source], names[e.target], e.cut, e.place.text) for e in drawing.graph.edges if e.cut]


def leaf():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_nodes_say_what_backward_will_visit():
    x = leaf()
    y = x**2
    loss = y.sum()
    found = nodes(torch.draw(loss))
    assert [(n.kind, n.heading, n.type) for n in found.values()] == [
        ("leaf", "x", "float32[2]"),
        ("operation", "y = PowBackward0", "float32[2]"),
        ("result", "loss = SumBackward0", "float32[]"),
    ]
    assert found["y"].kept == 8 and found["y"].value == "[1, 4]" and found["y"].place.text == "y = x**2"
    y.retain_grad()
    loss.backward()
    found = nodes(torch.draw(loss))
    assert found["x"].grad == "[2, 4]" and found["y"].grad == "[1, 1]" and found["y"].kept == 0


def test_names_come_from_the_caller():
    x = leaf()
    weights = {"w": leaf(), "v": [leaf()]}
    layers = [leaf(), leaf()]
    model = torch.nn.Linear(2, 1)
    drawing = torch.draw(model(x * weights["w"] * layers[1]).sum(), other=layers[0] * 2)
    leaves = {n.title for n in drawing.graph.nodes if n.kind == "leaf"}
    assert leaves == {"x", "weights['w']", "layers[1]", "layers[0]", "model.weight", "model.bias"}
    assert {n.name for n in drawing.graph.nodes if n.kind == "result"} == {"other", "result"}
    assert drawing.graph.title == "result, other"
    [unnamed] = [n for n in torch.draw(leaf() * 2, leaf() * 3).graph.nodes if n.name == "tensor 1"]
    assert unnamed.kind == "result"


def test_detach():
    x = leaf()
    y = x * 2
    z = y.detach() * 3
    assert cuts(torch.draw(z)) == [("y", "z", "detach()", "z = y.detach() * 3")]
    assert nodes(torch.draw(z))["z"].kind == "value"


def test_numpy_and_back():
    x = leaf()
    y = x**2
    a = y.detach().numpy()
    loss = (y * torch.from_numpy(a)).sum()
    drawing = torch.draw(loss)
    assert cuts(drawing) == [("y", "a", "detach()", "a = y.detach().numpy()")]
    styles = {e.style for e in drawing.graph.edges if e.source == nodes(drawing)["a"].id}
    assert styles == {"value"}
    assert nodes(torch.draw(loss, a=a))["a"].kind == "value"


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (lambda y: y.data, ".data"),
        (lambda y: y.detach().clone(), "detach()"),
        (lambda y: y.long(), "integers"),
        (lambda y: y > 1, "booleans"),
        (lambda y: y.argmax(), "integers"),
        (lambda y: torch.no_grad()(lambda: y * 2)(), "no_grad"),
    ],
)
def test_reasons(cut, reason):
    x = leaf()
    y = x * 2
    made = cut(y)
    assert [(source, why) for source, _, why, _ in cuts(torch.draw(made))] == [("y", reason)]


def test_a_leaf_that_was_made_of_a_cut_tensor():
    x = leaf()
    w = (x * 2).detach().requires_grad_()
    loss = (w * 3).sum()
    assert [(target, why) for _, target, why, _ in cuts(torch.draw(loss))] == [("w", "detach()")]
    assert [n.title for n in torch.draw(loss).graph.nodes if n.kind == "leaf"] == ["x", "w"]


def test_what_a_deep_copy_was_made_of_is_shown_if_asked_for():
    original = leaf()
    twin = copy.deepcopy(original)
    loss = (twin * 2).sum()
    assert "original" not in nodes(torch.draw(loss)) and cuts(torch.draw(loss)) == []
    assert cuts(torch.draw(loss, original=original)) == [
        ("original", "twin", "deepcopy", "twin = copy.deepcopy(original)")
    ]


def test_modules_are_groups():
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 4)
            self.norm = torch.nn.LayerNorm(4)

        def forward(self, x):
            return x + torch.tanh(self.fc(self.norm(x)))

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([Block() for _ in range(5)])
            self.head = torch.nn.Linear(4, 1)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    net = Net()
    loss = net(torch.ones(2, 4)).sum()
    drawing = torch.draw(loss)
    groups = {g.title for g in drawing.whole.root.groups()}
    assert "Net" in groups
    assert any(t.startswith("Block × ") for t in groups), groups
    assert "head Linear" in groups
    assert len([n for n in drawing.graph.nodes if n.kind == "leaf"]) == 22
    assert all(n.group[:1] in ((), ("Net",)) for n in drawing.graph.nodes if n.kind != "leaf")


def test_functions_that_have_returned_are_groups():
    def mean_square(x):
        y = x * x
        return y.mean()

    loss = mean_square(leaf() + 1) * 2
    drawing = torch.draw(loss)
    assert [n.group for n in drawing.graph.nodes[1:]] == [(), ("mean_square",), ("mean_square",), ()]


def test_without_the_journal_there_are_nodes():
    with torch.set_journal_enabled(False):
        x = leaf()
        y = x * 2
        z = y.detach() * 3
        loss = y.sum()
        drawing = torch.draw(loss, x=x, z=z)
    assert [(n.kind, n.title) for n in drawing.graph.nodes] == [
        ("leaf", "x"),
        ("operation", "MulBackward0"),
        ("result", "SumBackward0"),
        ("constant", "z"),
    ]
    assert not cuts(drawing)


def test_outputs_are_numbered():
    a, b = torch.ones(4, requires_grad=True).split(2)
    drawing = torch.draw(loss=(a * b).sum())
    assert sorted(e.label for e in drawing.graph.edges) == ["", "", "", "output 1"]


def test_what_is_no_number_is_said():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = (x / x).sum()
    y.backward()
    found = nodes(torch.draw(y))
    assert found["y"].alarm == "1 NaN" and found["x"].alarm == "grad: 1 NaN"


def test_values_without_history():
    t, a = torch.ones(2), np.ones(3)
    drawing = torch.draw(t, a=a)
    assert [(n.kind, n.heading, n.type) for n in drawing.graph.nodes] == [
        ("constant", "t", "float32[2]"),
        ("constant", "a", "ndarray float64[3]"),
    ]
    assert torch.draw().svg()
    with pytest.raises(TypeError, match="draw takes tensors, got x of type int"):
        torch.draw(x=3)


def test_a_drawing_keeps_no_tensor():
    def make():
        x = leaf()
        y = x * 2
        return torch.draw(y), weakref.ref(y), weakref.ref(x)

    drawing, *held = make()
    gc.collect()
    assert [h() for h in held] == [None, None] and len(drawing.graph.nodes) == 2


def test_other_variables_do_not_matter():
    base = leaf() * 2
    with torch.no_grad():
        view = base[:1]
    base.mul_(2)
    loss = base.sum()
    assert torch.draw(loss).svg()
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        torch.draw(view)


def test_bfloat16():
    x = torch.ones(2, dtype=torch.float32, requires_grad=True)
    y = x.to(torch.bfloat16) * 2
    z = y.detach()
    assert nodes(torch.draw(y, z))["z"].type == "bfloat16[2]"


def test_numbers_on_their_way_through_python():
    x = leaf()
    y = x * 2
    v = y.sum().item()
    scale = v / 2
    z = x * scale
    drawing = torch.draw(z)
    assert [(target, why) for _, target, why, _ in cuts(drawing)] == [("v", "item()")]
    names = {n.id: n.name or n.title for n in drawing.graph.nodes}
    assert ("v", "z") in {(names[e.source], names[e.target]) for e in drawing.graph.edges}
    scale = 3.0
    z = x * scale
    assert not cuts(torch.draw(z))


def test_arrays_on_their_way_through_numpy():
    x = leaf()
    y = x**2
    a = y.detach().numpy()
    b = np.sin(a)
    t = torch.from_numpy(b)
    z = (t * x).sum()
    drawing = torch.draw(z)
    assert [(source, target, why) for source, target, why, _ in cuts(drawing)] == [("y", "a", "detach()")]
    names = {n.id: n.name or n.title for n in drawing.graph.nodes}
    found = {(names[e.source], names[e.target]) for e in drawing.graph.edges if not e.gradient}
    assert found == {("y", "a"), ("a", "t"), ("t", "MulBackward0")}


def test_numbers_of_one_line():
    x = leaf()
    y = x * 2
    z = torch.tensor([v.item() for v in y]) * x
    assert [(target, why) for _, target, why, _ in cuts(torch.draw(z))] == [("z", "item()")]
    z = torch.tensor(y.tolist()) * x
    assert [(target, why) for _, target, why, _ in cuts(torch.draw(z))] == [("z", "tolist()")]


def test_logging_is_no_cut():
    x = leaf()
    losses = []
    for k in range(3):
        loss = (x * k).sum()
        losses.append(loss.item())
    assert not cuts(torch.draw(loss)) and len(torch.draw(loss).graph.nodes) == 3


def test_writes_that_autograd_does_not_see():
    x, w = leaf(), leaf()
    y = x * 2
    with torch.no_grad():
        w.copy_(y)
    loss = (w * w).sum()
    assert cuts(torch.draw(loss)) == [("y", "w", "copy_ in no_grad", "w.copy_(y)")]
    with torch.no_grad():
        w -= 0.1 * loss  # a step: what is written comes of the leaf itself
    assert not cuts(torch.draw((w * w).sum()))


def test_an_example_of_a_batch_is_drawn_without_its_values():
    drawn = []
    torch.func.vmap(lambda t: drawn.append(torch.draw(t)) or t)(torch.ones(2, 3))
    assert [(n.title, n.type, n.value) for n in drawn[0].graph.nodes] == [("t", "float32[3]", "")]
    (alone,) = torch.draw(nothing=torch.tensor([math.nan])).graph.nodes
    assert (alone.value, alone.alarm) == ("[nan]", "1 NaN")
