"""What the journal remembers: lines, cuts, modules; and that it keeps nothing alive."""

import doctest
import gc
import threading
import warnings
import weakref

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.tensor import journal
from funcgrad.torch.tensor.node import next_number


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def here(entry, text):
    """Whether the entry's place is a line of this file with this text."""
    return entry.place.file == __file__ and text in entry.place.text


def test_an_operation_has_its_line_and_its_sources(x):
    y = x * 2
    entry = journal.of(y)
    assert entry.what == "mul" and entry.requires and entry.cut is None
    assert here(entry, "y = x * 2")
    assert entry.place.function == "test_an_operation_has_its_line_and_its_sources"
    assert str(entry.place) == f"test_journal.py:{entry.place.line}: y = x * 2"
    assert journal.find(entry.sources[0]).number == journal.of(x).number
    assert entry.shape == (2,) and entry.dtype is torch.float32
    assert journal.of_node(y.grad_fn).number == entry.number == y.grad_fn._sequence_nr()


def test_a_leaf_has_the_line_that_made_it():
    w = torch.ones(3, requires_grad=True)
    entry = journal.of(w)
    assert entry.what == "leaf" and entry.sources == () and here(entry, "w = torch.ones(3, requires_grad=True)")
    assert journal.leaves()[-1].number == entry.number
    accumulate = (w * 1).grad_fn.next_functions[0][0]
    assert journal.of_node(accumulate).number == entry.number


def test_what_has_no_history_has_no_entry():
    a = torch.ones(2)
    assert (a * a).sin()._entry == 0 and journal.of(a) is None


def nearest_cut(t):
    """The entry of the first cut on the way back."""
    entry = journal.of(t)
    while entry.cut is None:
        entry = journal.find(entry.sources[0])
    return entry


CUTS = {
    "y.detach()": "detach()",
    "y.data": ".data",
    "y.long()": "integers",
    "y.to(torch.int32)": "integers",
    "y > 1": "booleans",
    "y.argmax()": "integers",
    "y.max(0)[1]": "integers",
    "y.sort()[1]": "integers",
    "y.nonzero()": "integers",
    "y.clone().detach_()": "detach_()",
    "torch.tensor(y)": "copy",
    "y.new_tensor(y)": "copy",
    "nn.Parameter(y)": "Parameter",
    "torch.histc(y, 3)": "a result without derivative",
    "unrecorded(lambda: y * 2)": "no_grad",
    "unrecorded(lambda: y + y)": "no_grad",
    "unrecorded(lambda: y.exp())": "no_grad",
    "unrecorded(lambda: y.sum())": "no_grad",
    "unrecorded(lambda: y[0])": "no_grad",
    "unrecorded(lambda: y.view(2, 1))": "no_grad",
    "unrecorded(lambda: torch.cat([y, y]))": "no_grad",
    "unrecorded(lambda: y.unbind()[0])": "no_grad",
    "unrecorded(lambda: nn.functional.relu(y))": "no_grad",
    "unrecorded(lambda: linear(y[None]))": "no_grad",
    "unrecorded(lambda: nn.functional.layer_norm(y, (2,)))": "no_grad",
    "unrecorded(lambda: nn.functional.max_pool1d(y[None], 2))": "no_grad",
    "inferred(lambda: y * 2)": "inference_mode",
}


def unrecorded(f):
    with torch.no_grad():
        return f()


def inferred(f):
    with torch.inference_mode():
        return f()


@pytest.mark.parametrize("text", CUTS)
def test_a_cut_says_why(x, text):
    scope = {"nn": nn, "torch": torch, "unrecorded": unrecorded, "inferred": inferred, "linear": nn.Linear(2, 2)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a copy should be made otherwise
        made = eval(text, {**scope, "y": x * 2})
    assert nearest_cut(made).cut == CUTS[text]


def test_what_descends_from_a_cut_is_followed(x):
    z = (x.detach() * 2).sum() + 1
    entry = journal.of(z)
    assert entry.what == "add" and entry.cut is None and not entry.requires
    entry = nearest_cut(z)
    assert entry.cut == "detach()" and journal.find(entry.sources[0]).what == "leaf"


def test_values_that_leave(x):
    before = next_number()
    (x * 2).sum().item()
    float(x.sum().detach())
    x.tolist()
    found = [e for e in journal.since(before) if e.cut]
    assert [e.cut for e in found] == ["item()", "detach()", "float()", "tolist()"]
    assert here(found[2], "float(x.sum().detach())")


def test_memory_that_numpy_had_is_found_again(x):
    array = (x * 2).detach().numpy()
    back = torch.from_numpy(array[1:])
    entry = journal.of(back)
    assert entry.what == "from_numpy()" and journal.find(entry.sources[0]).what == "numpy()"
    forced = torch.from_numpy((x * 2).numpy(force=True))
    assert journal.find(journal.of(forced).sources[0]).what == "numpy()"


def test_what_numpy_computed_has_an_entry_without_sources(x):
    array = (x * 2).detach().numpy()
    for made in (torch.from_numpy(array + 1), torch.tensor(array + 1), torch.as_tensor(array.tolist() and array + 1)):
        entry = journal.of(made)
        assert entry.sources == () and entry.cut is None and here(entry, "for made in")


def test_a_tensor_of_numbers_of_tensors_knows_them(x):
    made = torch.tensor([x[0].detach(), x[1].detach()])
    assert [journal.find(n).what for n in journal.of(made).sources] == ["item()", "item()"]


def test_writes_in_place(x):
    before = next_number()
    with torch.no_grad():
        x += 1
        x.copy_(torch.zeros(2))
    found = [e for e in journal.since(before) if x._entry in e.sources]
    assert [e.what for e in found] == ["add_", "copy_"] and {e.cut for e in found} == {"no_grad"}
    assert journal.of(x).what == "leaf"  # that it stays
    y = x * 2
    y[0] = 5.0
    assert journal.of(y).what == "CopySlices" and y.grad_fn._sequence_nr() == journal.of(y).number
    y.mul_(3)
    assert journal.of(y).what == "mul"
    held = torch.zeros(2)
    held += x.detach()
    assert journal.of(held).what == "add_"
    with torch.no_grad():
        held.add_(x)
    assert journal.of(held).cut == "no_grad"
    before = next_number()
    x.data = torch.ones(2)
    assert [e.what for e in journal.since(before)] == [".data ="]


def test_leaves_that_were_something_before(x):
    y = (x * 2).detach().requires_grad_()
    entry = journal.of(y)
    assert entry.what == "requires_grad_()" and journal.find(entry.sources[0]).cut == "detach()"
    before = next_number()
    y.requires_grad_(False)
    y.grad = torch.ones(2)
    assert [e.what for e in journal.since(before)] == ["requires_grad_(False)", ".grad ="]


def test_training_is_noted():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = next_number()
    optimizer.zero_grad()
    loss = model(torch.ones(3, 2)).sum()
    loss.backward()
    optimizer.step()
    model.zero_grad()
    events = [e for e in journal.since(before) if e.shape is None]
    assert [e.what for e in events] == ["zero_grad()", "backward()", "step()", "zero_grad()"]
    assert events[1].sources == (loss._entry,) and all(e.place.file == __file__ for e in events)


def test_the_running_modules():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    out = model(torch.ones(1, 2))
    assert journal.of(out).module == (("Sequential", None), ("ReLU", "1"))
    assert here(journal.of(out), "out = model(torch.ones(1, 2))")
    with pytest.raises(RuntimeError):
        model(torch.ones(1, 5))
    y = out * 1
    assert journal.of(y).module == ()


def test_custom_functions():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    y = Double.apply(x)
    entry = journal.of(y)
    assert entry.what == "double" and entry.sources == (x._entry,) and here(entry, "y = Double.apply(x)")


def test_nothing_is_kept_alive(x):
    model = nn.Linear(2, 2)
    y = model(x).sin()
    array = y.detach().numpy()
    back = torch.from_numpy(array)
    held = [weakref.ref(o) for o in (y, y.grad_fn, model, model.weight, array, back, back._value)]
    number = y._entry
    del model, y, array, back
    gc.collect()
    assert all(r() is None for r in held)
    entry = journal.find(journal.find(number).sources[0])
    assert entry.what == "view" and entry.module == (("Linear", None),)


def test_its_size_is_bounded(x, monkeypatch):
    first = journal.of(x * 1).number
    monkeypatch.setattr(journal, "next_number", lambda: first + journal.SIZE)
    z = x.detach()
    assert len(journal.log) == journal.SIZE
    assert journal.find(first) is None and journal.of(z).number == first + journal.SIZE
    journal.log[first % journal.SIZE] = None


def test_the_switch():
    with torch.set_journal_enabled(False):
        assert not torch.is_journal_enabled()
        before = next_number()
        x = torch.ones(2, requires_grad=True)
        y = nn.Linear(2, 2)(x).detach() * 2
        y.tolist(), y.numpy(), torch.tensor([1.0, 2.0])
        assert journal.since(before) == [] and y._entry == 0
    assert torch.is_journal_enabled()
    entry = journal.of(x)
    assert entry.what == "leaf" and entry.place is None and "leaf" in repr(entry)


def test_threads_have_modules_of_their_own():
    inside, done = threading.Event(), threading.Event()

    class Waiting(nn.Module):
        def forward(self, x):
            inside.set()
            done.wait(10)
            return x

    thread = threading.Thread(target=Waiting(), args=(torch.ones(1),))
    thread.start()
    inside.wait(10)
    relu = nn.ReLU()
    y = relu(torch.ones(1, requires_grad=True))
    done.set()
    thread.join()
    z = y * 2
    assert journal.of(y).module == (("ReLU", None),) and journal.of(z).module == ()


def test_lines_of_doctests_and_of_code_without_text():
    test = doctest.DocTestParser().get_doctest(
        ">>> y = x * 3\n>>> entry = journal.of(y)\n>>> text = str(entry.place)\n",
        {"x": torch.ones(1, requires_grad=True), "journal": journal}, "shown", None, None,
    )  # fmt: skip
    doctest.DocTestRunner().run(test, clear_globs=False)
    assert test.globs["text"] == "y = x * 3"  # in a page the name of the file says nothing
    scope = {"x": torch.ones(1, requires_grad=True)}
    exec("\n\ny = x * 2", scope)
    assert str(journal.of(scope["y"]).place) == "<string>:3"


def test_numpy_and_copies_are_not_the_users(x):
    import copy

    entry = journal.of(copy.deepcopy(x))
    assert entry.what == "deepcopy" and here(entry, "entry = journal.of(copy.deepcopy(x))")
    before = next_number()
    np.transpose(x.detach())
    assert all(here(e, "np.transpose(x.detach())") for e in journal.since(before))


def test_a_leaf_whose_entry_is_gone_keeps_its_number(x, monkeypatch):
    number = journal.of(x).number
    monkeypatch.setattr(journal, "_leaves", {})
    journal.log[number & journal.MASK] = None
    loss = (x * 2).sum()
    found = torch.explain(x, loss)
    assert found.path_count == 1 and journal.of(x).number == number and journal.of(x).place is None
