"""What torch.draw shows of values that left to NumPy, came back as leaves, or were written over."""

from __future__ import annotations

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.draw.drawing import Drawing


def edges(drawing: Drawing) -> set[tuple[str, str, str | None]]:
    """(name or title of the source, of what it leads to, the cut) of each edge."""
    called = {n.id: n.name or n.title for n in drawing.graph.nodes}
    return {(called[e.source], called[e.target], e.cut) for e in drawing.graph.edges}


def test_arrays_stand_between_the_tensors_whose_memory_they_have() -> None:
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    array = x.detach().numpy()
    y = np.sin(array)
    z = torch.from_numpy(y)
    loss = (x * z).sum()
    found = edges(torch.draw(loss, x=x, array=array, y=y, z=z))
    assert ("x", "array", "detach()") in found
    assert ("y", "z", None) in found
    assert ("array", "z", None) in found, "as the text of the program says"


def test_a_view_of_the_memory_is_known_and_a_copy_is_not() -> None:
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    view = x.detach().numpy()[::-1]
    copy = view.copy()
    found = edges(torch.draw(x, view=view, copy=copy))
    assert ("x", "view", "detach()") in found
    assert not any("copy" in (source, target) for source, target, _ in found)


def test_a_leaf_of_numbers_stands_below_what_they_were_taken_from() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        leaf = torch.tensor([w * 2, w * 3], requires_grad=True)
    drawing = torch.draw(leaf.sum(), w=w, leaf=leaf)
    assert [n.title for n in drawing.graph.nodes] == ["w", "mul", "mul", "torch.tensor()", "leaf", "SumBackward0"]


def test_kept_values_that_were_written_over_are_marked() -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = torch.exp(x)
    assert not any(n.alarm for n in torch.draw(y).graph.nodes)
    y += 1
    assert [(n.title, n.alarm) for n in torch.draw(y).graph.nodes if n.alarm] == [
        ("ExpBackward0", "kept values were written over")
    ]
