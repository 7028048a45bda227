"""Whole training steps compiled, against the same steps run eagerly: losses, parameters, gradients, the state of
optimisers, versions, and the generator."""

import copy
import logging

import numpy as np
import pytest

from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.nn import functional as F


def mlp():
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


def convolutions():
    return nn.Sequential(
        nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 4, 2), nn.BatchNorm1d(4), nn.Tanh(), nn.Flatten(), nn.Linear(8, 2)
    )


def dropping():
    return nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 2), nn.Dropout(0.2))


def attending():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True)
    return nn.Sequential(nn.Linear(3, 8), nn.Unflatten(1, (2, 4)), layer, nn.Flatten(), nn.Linear(8, 2))


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1, nesterov=True),
    "dampened": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.5, maximize=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.1, weight_decay=0.1),
    "amsgrad": lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True, maximize=True),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1, betas=(0.3, 0.8)),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.1, centered=True, momentum=0.5),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "adamax": lambda p: torch.optim.Adamax(p, lr=0.1),
    "rprop": lambda p: torch.optim.Rprop(p, lr=0.1),
}


def compiled_and_eager(make, train, steps=5, compiled=True, **options):
    """What is left after some steps, run eagerly and compiled: two lists that are to be the same."""
    found = []
    for compiles in (False, True):
        torch.manual_seed(0)
        model, optimizer, step = make()
        f = torch.compile(step, **options) if compiles else step
        x, y = torch.randn(6, 3), torch.tensor([0, 1, 1, 0, 0, 1])
        losses = [train(f, x, y, optimizer) for _ in range(steps)]
        grads = [None if p.grad is None else p.grad.detach().numpy() for p in model.parameters()]
        state = [t.detach().numpy() for t in model.state_dict().values()]
        kept = [
            {k: (v.detach().numpy(), v._version) for k, v in optimizer.state.get(p, {}).items()}
            for p in model.parameters()
        ]
        versions = [p._version for p in (*model.parameters(), *model.buffers())]
        found.append((losses, grads, state, kept, versions, float(torch.rand(1))))
    if compiled:
        assert f._call.count, "it was recorded"
    return found


def train(f, x, y, optimizer):
    loss = f(x, y)
    return loss if type(loss) is float else loss.item()


def alike(found):
    (losses, grads, state, kept, versions, drawn), (losses_, grads_, state_, kept_, versions_, drawn_) = found
    np.testing.assert_allclose(losses, losses_, rtol=2e-6)
    assert drawn == drawn_, "the generator goes on alike"
    assert versions == versions_
    for a, b in zip(state, state_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    for a, b in zip(grads, grads_, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    for a, b in zip(kept, kept_, strict=True):
        assert a.keys() == b.keys()
        for name, (value, version) in a.items():
            np.testing.assert_allclose(value, b[name][0], rtol=1e-4, atol=1e-6)
            assert version == b[name][1], name


def step_of(model, optimizer, first=False):
    def at_the_start(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    def at_the_end(x, y):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return at_the_start if first else at_the_end


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, first):
    def make():
        model = mlp()
        optimizer = OPTIMIZERS[name](model.parameters())
        return model, optimizer, step_of(model, optimizer, first)

    found = compiled_and_eager(make, train, fullgraph=True)
    alike(found)
    for a, b in zip(found[0][2], found[1][2], strict=True):
        assert np.array_equal(a, b), "in the same order, to the last bit"


@pytest.mark.parametrize("make", [convolutions, dropping, attending])
def test_models(make):
    def made():
        model = make()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
        return model, optimizer, step_of(model, optimizer)

    alike(compiled_and_eager(made, train, fullgraph=True))


def test_learning_rates_are_taken_as_they_are():
    def make():
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        step = step_of(model, optimizer, first=True)
        step.schedule = schedule
        return model, optimizer, step

    def train(f, x, y, optimizer):
        loss = f(x, y).item()
        getattr(f, "_torchdynamo_orig_callable", f).schedule.step()
        made.append(getattr(getattr(f, "_call", None), "count", 0))
        return loss

    made = []
    alike(compiled_and_eager(make, train, steps=12, fullgraph=True))
    assert made[-1] == 1


def test_gradients_add_up():
    """Without zero_grad() the program takes the gradients that are there, and adds to them in place."""

    def make():
        model = mlp()

        def step(x, y):
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            (F.cross_entropy(model(-x), y) * 0.5).backward()
            return loss

        return model, torch.optim.SGD(model.parameters()), step

    alike(compiled_and_eager(make, train, steps=3, fullgraph=True))


def test_a_step_by_hand_and_clipping():
    def make():
        model = mlp()

        def step(x, y):
            model.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.01)
            with torch.no_grad():
                for p in model.parameters():
                    p -= 0.5 * p.grad
            return loss

        return model, torch.optim.SGD(model.parameters()), step

    alike(compiled_and_eager(make, train, fullgraph=True))


def test_set_to_zero():
    def make():
        model = mlp()
        optimizer = torch.optim.Adam(model.parameters())

        def step(x, y):
            optimizer.zero_grad(set_to_none=False)
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        return model, optimizer, step

    alike(compiled_and_eager(make, train, fullgraph=True))


def test_parameters_keep_their_memory_and_saved_tensors_see_the_writes():
    model = mlp()
    f = torch.compile(step_of(model, torch.optim.SGD(model.parameters(), lr=0.1), first=True))
    x, y = torch.randn(6, 3), torch.tensor([0, 1, 1, 0, 0, 1])
    for _ in range(2):
        f(x, y)
    memory, weight = model[0].weight.detach().numpy(), model[0].weight
    before = memory.copy()
    held = (weight * weight).sum()
    loss = f(x, y)
    assert f._call.count
    assert not np.array_equal(memory, before), "what looks at the memory sees the step"
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        held.backward()
    assert loss.requires_grad
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_another_kind_of_step_gets_another_program():
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    f = torch.compile(step_of(model, optimizer), fullgraph=True)
    x, y = torch.randn(6, 3), torch.tensor([0, 1, 1, 0, 0, 1])
    for _ in range(3):
        f(x, y)
    assert f._call.count == 1
    optimizer.param_groups[0]["eps"] = 1e-3
    twin = copy.deepcopy(model)
    copied = torch.optim.Adam(twin.parameters(), eps=1e-3)
    copied.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    f(x, y), step_of(twin, copied)(x, y)
    assert f._call.count == 2
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(p, q)


REFUSED = {
    "create_graph": lambda w, o: (w**2).sum().backward(create_graph=True),
    "inputs": lambda w, o: (w**2).sum().backward(inputs=[w]),
    "a graph that is kept": lambda w, o: _kept((w**2).sum()),
    "gradients that are returned": lambda w, o: (o.zero_grad(), (w**2).sum().backward(), w.grad)[2],
    "gradients that are set": lambda w, o: setattr(w, "grad", w.detach()),
    "a value": lambda w, o: (w**2).sum().backward() if (w**2).sum() > 0 else None,
}


def _kept(loss):
    loss.backward(retain_graph=True)
    return loss


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_what_runs_eagerly(name, caplog):
    def left(compiles):
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)

        def step(x):
            return REFUSED[name](w, optimizer)

        f = torch.compile(step) if compiles else step
        for _ in range(4):
            f(torch.ones(1))
        return w, w.grad

    with caplog.at_level(logging.WARNING):
        (a, g), (b, h) = left(False), left(True)
    assert len([r for r in caplog.records if "runs eagerly" in r.getMessage()]) == 1
    assert torch.equal(a, b)
    assert (g is None) == (h is None)
    assert g is None or torch.equal(g, h)


def test_memory_that_is_shared_runs_eagerly():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def step(x):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
        return x * 1

    f = torch.compile(step)
    for _ in range(3):
        f(torch.ones(2))
    assert f._call.count
    shared = w.detach()
    assert torch.equal(f(shared), w.detach()), "the step is seen in what looks at the memory of the parameter"


def test_hooks_are_called():
    w, seen = torch.tensor([1.0], requires_grad=True), []
    f = torch.compile(lambda x: (w * x).sum().backward())
    for _ in range(3):
        f(torch.ones(1))
    w.register_hook(seen.append)
    f(torch.ones(1))
    assert len(seen) == 1
    assert w.grad == 4


def test_closures_and_two_optimizers():
    def make():
        model = mlp()
        a, b = torch.optim.Adam(model[0].parameters()), torch.optim.SGD(model[2].parameters(), lr=0.1, momentum=0.5)

        def step(x, y):
            def closure():
                a.zero_grad()
                b.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                return loss

            loss = a.step(closure)
            b.step()
            return loss

        return model, a, step

    alike(compiled_and_eager(make, train, fullgraph=True))


def test_one_gradient_for_two():
    def step(x):
        w.grad = v.grad = None
        (w * x).sum().backward()
        v.grad = w.grad

    w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    f = torch.compile(step)
    for _ in range(4):
        f(torch.ones(2))
        assert v.grad is w.grad


def test_gradients_held_twice_run_eagerly(caplog):
    w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    f = torch.compile(lambda x: (w * v * x).sum().backward())
    for _ in range(2):
        f(torch.ones(2))
    v.grad = w.grad
    f(torch.ones(2))
    assert w.grad.tolist() == [4, 4], "both add to the one gradient"
    assert "shares memory" in caplog.text


def test_explain_changes_nothing():
    model = dropping()
    optimizer = torch.optim.Adam(model.parameters())
    step = step_of(model, optimizer)
    x, y = torch.randn(6, 3), torch.tensor([0, 1, 1, 0, 0, 1])
    told = torch._dynamo.explain(step)(x, y)
    assert told.break_reasons == ["it changes the state of an optimiser, which its first step makes"]
    step(x, y)
    before, drawn = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    assert torch._dynamo.explain(step)(x, y).graph_count == 1
    assert torch.equal(torch.get_rng_state(), drawn)
    for name, t in model.state_dict().items():
        assert torch.equal(t, before[name])
    assert all(kept["step"] == 1 for kept in optimizer.state.values())


@pytest.mark.parametrize("kind", [torch.complex64, torch.float16, torch.float64])
@pytest.mark.parametrize("name", ["momentum", "adamw"])
def test_parameters_of_other_kinds(name, kind):
    def left(compiles):
        w = torch.tensor([1.0, 2.0, -0.5], dtype=kind, requires_grad=True)
        scalar = torch.tensor(0.5, dtype=kind, requires_grad=True)
        optimizer = OPTIMIZERS[name]([w, scalar])

        def step(x):
            optimizer.zero_grad()
            (w * x * scalar).abs().sum().backward()
            optimizer.step()

        f = torch.compile(step) if compiles else step
        for _ in range(5):
            f(torch.tensor([1.0, 3.0, 2.0], dtype=kind))
        assert not compiles or f._call.count == (kind is torch.float64)
        return w.detach().numpy(), scalar.detach().numpy(), w.grad.numpy()

    for a, b in zip(left(False), left(True), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
