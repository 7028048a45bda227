"""torch.compile against the same functions run eagerly: values, gradients, guards, and what is not recorded."""

import copy
import logging
import re

import numpy as np
import pytest

import funcgrad as fg
from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.nn import functional as F

SCALE = 2.0
TABLE = {"scale": 2.0, "sizes": [1, 2]}
SEEN = []


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(7, 4), nn.Embedding(5, 4)

    def forward(self, x):
        return self.words(x) + self.places(torch.arange(x.size(1)))


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


MODULES = {
    "mlp": (lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(inplace=True), nn.Linear(5, 3)), (6, 4)),
    "conv": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2, 3)),
             (2, 1, 4, 4)),
    "batchnorm": (lambda: nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh()), (5, 4)),
    "dropout": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2), nn.Dropout(0.2)), (5, 4)),
    "norm": (lambda: nn.Sequential(nn.LayerNorm(6), nn.GELU(), nn.AvgPool1d(2)), (2, 4, 6)),
    "lstm": (Last, (2, 5, 3)),
    "transformer": (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True), (2, 3, 4)),
    "embedding": (Tokens, None),
}  # fmt: skip


def close(a, b):
    assert a.dtype == b.dtype
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)


def state_of(model):
    return {name: t.detach().clone() for name, t in model.state_dict().items()}


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", MODULES)
def test_modules(name, training, grad):
    make, shape = MODULES[name]
    found = []
    for compiles in (False, True):
        torch.manual_seed(0)
        model = make().train(training)
        called = torch.compile(model, fullgraph=True) if compiles else model
        x = torch.tensor([[1, 2, 6], [0, 2, 2]]) if shape is None else torch.randn(shape)
        x.requires_grad_(shape is not None)
        with torch.set_grad_enabled(grad):
            for _ in range(2):
                out = called(x)
                assert out.requires_grad == grad
                if grad:
                    (out * out).sum().backward()
            found.append((out, x.grad, state_of(model), [p.grad for p in model.parameters()], torch.rand(1)))
    assert not grad or out.grad_fn.name() == "CompiledFunctionBackward"
    (a, ga, sa, pa, ra), (b, gb, sb, pb, rb) = found
    close(a, b)
    assert ra == rb, "the generator goes on alike"
    for name, t in sa.items():
        close(t, sb[name])
    for p, q in zip((ga, *pa), (gb, *pb), strict=True):
        assert (p is None) == (q is None)
        if p is not None:
            close(p, q)


def test_programs_are_made_for_what_differs():
    @torch.compile(fullgraph=True)
    def f(x, k=1, *, flag=False):
        return x * k * SCALE if flag else x * k

    x = torch.ones(3)
    f(x), f(torch.zeros(3))
    assert f._call.count == 1
    for change in (
        lambda: f(torch.ones(4)), lambda: f(x.double()), lambda: f(x, 2), lambda: f(x, 2.0), lambda: f(x, True),
        lambda: f(x, flag=True), lambda: f(torch.ones(3, requires_grad=True)),
    ):  # fmt: skip
        before = f._call.count
        change()
        change()
        assert f._call.count == before + 1


def test_what_is_read_is_looked_at(monkeypatch):
    class Scaled(nn.Module):
        factor = 1.0

        def __init__(self):
            super().__init__()
            self.options = {"shift": [0.0]}

        def forward(self, x):
            return x * self.factor * SCALE * TABLE["scale"] + self.options["shift"][0]

    model = Scaled()
    f = torch.compile(model, fullgraph=True)
    x = torch.ones(1)
    assert f(x) == 4
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert f(x) == 6
    monkeypatch.setitem(TABLE, "scale", 1.0)
    assert f(x) == 3
    model.factor = 2.0
    assert f(x) == 6
    model.options["shift"][0] = 1.0
    assert f(x) == 7
    monkeypatch.setattr(Scaled, "forward", lambda self, x: -x)
    assert f(x) == -1


def test_parameters_are_taken_as_they_are():
    model = nn.Linear(1, 1)
    f, x = torch.compile(model, fullgraph=True), torch.ones(1)
    f(x)
    for change in (
        lambda: model.weight.data.fill_(3.0), lambda: setattr(model, "bias", nn.Parameter(torch.ones(1))),
        lambda: model.weight.requires_grad_(False), lambda: setattr(model.weight, "data", torch.ones(2, 1)),
    ):  # fmt: skip
        change()
        got, wanted = f(x), model(x)
        close(got, wanted)
        assert got.requires_grad == wanted.requires_grad


def test_detach_and_no_grad_cut():
    def f(x):
        with torch.no_grad():
            y = x * 3
        return x.detach() * x + y, y

    x = torch.tensor([2.0], requires_grad=True)
    out, constant = torch.compile(f, fullgraph=True)(x)
    assert not constant.requires_grad
    out.backward()
    assert x.grad == 2


def test_gradients_of_gradients():
    f = torch.compile(lambda x, w: (torch.sin(x) * w).sum(), fullgraph=True)
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    (g,) = torch.autograd.grad(f(x, w), x, create_graph=True)
    gx, gw = torch.autograd.grad(g.sum(), (x, w))
    np.testing.assert_allclose(gx.detach(), -(w * x.sin()).detach(), rtol=1e-6)
    np.testing.assert_allclose(gw.detach(), x.cos().detach(), rtol=1e-6)


def test_transforms_and_modes_see_the_function():
    f = torch.compile(lambda x: (x**3).sum())
    x = torch.tensor([1.0, 2.0])
    assert torch.func.grad(f)(x).tolist() == [3, 12]
    assert torch.func.vmap(f)(x[:, None]).tolist() == [1, 8]
    with torch.inference_mode():
        assert f(x).is_inference()


def test_writing_into_what_backward_needs_is_an_error():
    f = torch.compile(lambda x: torch.exp(x), fullgraph=True)
    x = torch.ones(2, requires_grad=True)
    y = f(x)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    w = torch.ones(2, requires_grad=True)
    z = torch.compile(lambda a, b: a * b, fullgraph=True)(w, x)
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_a_second_backward_needs_the_graph():
    x = torch.ones(2, requires_grad=True)
    y = torch.compile(lambda x: (x * x).sum(), fullgraph=True)(x)
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4, 4]
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_results_are_nobody_elses():
    def f(x):
        return x + 1, x + 1, torch.zeros(2)

    g = torch.compile(f, fullgraph=True)
    for _ in range(2):
        a, b, c = g(torch.ones(2))
        a.fill_(7), c.fill_(5)
        assert b.tolist() == [2, 2]
    assert g(torch.ones(2))[2].tolist() == [0, 0]


def test_constants_that_are_written_into():
    def f(x):
        h = torch.zeros(2)
        y = x + h
        h += 1
        return y, x + h

    a, b = torch.compile(f)(torch.ones(2))
    assert a.tolist() == [1, 1]
    assert b.tolist() == [2, 2]


def appends(x):
    SEEN.append(1)
    return x * 1


def cell():
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * n

    return f


class Hooked(nn.Linear):
    def __init__(self):
        super().__init__(1, 1)
        self.register_forward_hook(lambda m, a, out: out * 2)


class Tagged(nn.Module):
    def forward(self, x):
        self.last = x
        return x * 2


REFUSED = {
    "if": (lambda x: x * 2 if x.sum() > 0 else x * 3, "has no value|no value"),
    "item": (lambda x: x * x.sum().item(), r"item\(\)"),
    "item in a text": (lambda x: x * len(f"{x.sum().item():.3f}"), r"item\(\)"),
    "a text": (lambda x: x * len(f"{x * 2}"), "no value"),
    "a text of one": (lambda x: x * len(f"{x.sum()}"), "no value|item"),
    "item compared": (lambda x: x if x.sum().item() == 3 else x * 2, r"item\(\)"),
    "print": (lambda x: print(end="") or x * 2, "print"),
    "view": (lambda x: x.view(1, 1), "view of one"),
    "argument": (lambda x: x, "that it was given"),
    "written": (lambda x: x.mul_(2) * 1, "plain buffer"),
    "list": (appends, "it changes"),
    "cell": (cell(), "it changes"),
    "hook": (Hooked(), "hooks"),
    "attribute": (Tagged(), "it changes"),
    "backward": (lambda x: (x * 2).sum().backward, "a result is a method"),
    "numpy random": (lambda x: x * float(np.random.rand()), "numpy"),
    "iterator": (lambda x, it=iter([1.0]): x * 2, "iterator"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_recorded(name, caplog):
    f, reason = REFUSED[name]
    g = torch.compile(f, fullgraph=True)
    with pytest.raises(RuntimeError, match="can't be recorded"):
        g(torch.ones(1)), g(torch.ones(1))  # a training step runs eagerly once
    told = torch._dynamo.explain(f)(torch.ones(1))
    assert told.graph_count == 0
    with caplog.at_level(logging.WARNING):
        g = torch.compile(f)
        SEEN.clear()
        for _ in range(3):
            g(torch.ones(1))
    assert len([r for r in caplog.records if "runs eagerly" in r.getMessage()]) == 1
    if f is appends:
        assert SEEN == [1, 1, 1]
    assert re.search(reason, told.break_reasons[0]), told


def test_a_cache_is_filled_once():
    class Cached(nn.Module):
        mask = None

        def forward(self, x):
            if self.mask is None:
                self.mask = torch.arange(2.0)
            return x * self.mask

    model = torch.compile(Cached())
    for _ in range(3):
        assert model(torch.ones(2)).tolist() == [0, 1]
    assert model.forward._call.count == 1


def test_there_are_not_more_programs_than_the_limit(caplog):
    f = torch.compile(lambda x: x * 2)
    for n in range(1, 12):
        assert f(torch.ones(n)).tolist() == [2] * n
    assert f._call.count == torch._dynamo.config.recompile_limit
    assert "recorded 8 times" in caplog.text
    torch._dynamo.reset()
    assert f._call.count == 0


def test_optimized_modules():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    f = torch.compile(model)
    assert list(f.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert f._orig_mod is model
    assert type(f).__name__ == "OptimizedModule"
    f.eval()
    assert not model.training
    f.train()
    assert model.training
    f.extra = 3
    assert model.extra == f.extra == 3
    assert torch.compile(model, disable=True) is model
    del f.extra
    assert not hasattr(f, "extra")
    assert len(f) == 2
    again = copy.deepcopy(f)
    x = torch.ones(2)
    close(again(x), model(x))
    own = nn.Linear(2, 2)
    want = own(x)
    own.compile(fullgraph=True)
    close(own(x), want)
    assert own(x).grad_fn.name() == "CompiledFunctionBackward"


def test_wrong_arguments():
    with pytest.raises(AssertionError, match="A callable function is expected, but <class 'int'> is provided"):
        torch.compile(3)
    with pytest.raises(torch._dynamo.exc.InvalidBackend, match="Invalid backend: 'foo'"):
        torch.compile(len, backend="foo")
    with pytest.raises(RuntimeError, match="Unrecognized mode=foo"):
        torch.compile(len, mode="foo")
    assert torch._dynamo.list_backends() == ["cudagraphs", "inductor", "openxla", "tvm"]


def test_a_compiled_model_learns_as_the_eager_one():
    losses = []
    for compiles in (False, True):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
        x, called = torch.randn(16, 2), torch.compile(model) if compiles else model
        y = (x[:, 0] > 0).long()
        opt = torch.optim.AdamW(called.parameters(), lr=0.1)
        for _ in range(10):
            loss = F.cross_entropy(called(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        losses.append(loss.item())
    np.testing.assert_allclose(*losses, rtol=1e-4)


def test_floating_errors_are_silent():
    f = torch.compile(lambda x: torch.log(x) / x, fullgraph=True)
    x = torch.zeros(2, requires_grad=True)
    for _ in range(3):
        y = f(x)
        y.sum().backward()
        assert y.tolist() == [-np.inf] * 2


def test_disabled():
    seen = []
    f = torch.compile(lambda x: seen.append(type(x._value)) or x * 2)  # what may run eagerly all the same
    g = torch.compile(lambda x: x * 2, fullgraph=True)
    with fg.disable_jit():
        assert f(torch.ones(1)) == 2
        with pytest.raises(RuntimeError, match="a mode is on"):
            g(torch.ones(1))
    assert g._call.count == 0
    assert seen == [np.ndarray]


def test_what_a_compiled_function_calls_may_be_compiled():
    inner = torch.compile(nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5)))
    f = torch.compile(lambda x: nn.functional.dropout(inner(x), 0.5) + torch.randn(2, 3), fullgraph=True)
    x = torch.ones(2, 2)
    found = []
    for call in (lambda x: nn.functional.dropout(inner._orig_mod(x), 0.5) + torch.randn(2, 3), f, f, f):
        torch.manual_seed(0)
        found.append(call(x).detach().numpy())
    assert f._call.count == 1
    for value in found[1:]:
        np.testing.assert_allclose(value, found[0], rtol=1e-6)


def test_numbers_of_other_distributions():
    def f(x):
        y = torch.randint(0, 5, (3,)) + torch.randperm(3) + torch.rand_like(x)
        return y * x + nn.functional.alpha_dropout(x, 0.5) + torch.normal(0.0, 2.0, (3,))

    g = torch.compile(f, fullgraph=True)
    found = []
    for call in (f, g, g, g):
        torch.manual_seed(0)
        found.append((call(torch.ones(3)).numpy(), float(torch.rand(1))))
    for value, after in found[1:]:
        np.testing.assert_allclose(value, found[0][0], rtol=1e-6)
        assert after == found[0][1]


def test_what_cannot_be_drawn_before_runs_eagerly(caplog):
    def f(p):
        return torch.bernoulli(p) + torch.rand(3)

    g = torch.compile(f)
    for _ in range(3):
        torch.manual_seed(0)
        want = f(torch.full((3,), 0.5))
        torch.manual_seed(0)
        assert torch.equal(g(torch.full((3,), 0.5)), want)
    assert len([r for r in caplog.records if "runs eagerly" in r.getMessage()]) == 1


def test_arguments_of_all_kinds():
    def f(x, *rest, k=None, **named):
        y = x * 1 if k is None else x * k
        for z in (*rest, *named.values()):
            y = y + (z["a"][0] if isinstance(z, dict) else z)
        return {"y": y, "n": (y * 2, 3)}

    g = torch.compile(f, fullgraph=True)
    a, b = torch.ones(2), torch.tensor([1.0, 2.0])
    calls = [
        ((a,), {}), ((a, b), {}), ((a,), {"k": b}), ((a,), {"other": b}), ((a, 1.5), {"k": 2}),
        ((a, {"a": [b]}), {"k": None}), ((a, True), {"k": 1j}),
    ]  # fmt: skip
    for args, kwargs in calls:
        want = f(*args, **kwargs)
        for _ in range(3):
            got = g(*args, **kwargs)
            assert torch.equal(got["y"], want["y"])
            assert torch.equal(got["n"][0], want["n"][0])
            assert got["n"][1] == 3
    assert g._call.count == len(calls)


def test_is_compiling():
    @torch.compiler.disable
    def outside():
        return torch.compiler.is_compiling()

    def f(x):
        return x * (2 if torch.compiler.is_compiling() else 3)

    recorded, eager = torch.compile(f, fullgraph=True), torch.compile(lambda x: (f(x), outside()))
    for _ in range(3):
        assert recorded(torch.ones(1)) == 2
        assert eager(torch.ones(1)) == (2, False)
    assert f(torch.ones(1)) == 3
    assert not torch.compiler.is_exporting()


def test_what_is_drawn_may_change():
    model = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5), nn.Dropout(0.5))
    f, x = torch.compile(lambda x: model(x) * 2, fullgraph=True), torch.ones(4, 2)
    for train in (True, False, True, False):
        model.train(train)
        for _ in range(3):
            torch.manual_seed(0)
            want = model(x) * 2
            torch.manual_seed(0)
            np.testing.assert_allclose(f(x).detach(), want.detach(), rtol=1e-6)
    assert f._call.count == 2
    model.train()
    model[1].p = 0.0
    for _ in range(3):
        torch.manual_seed(0)
        want = model(x) * 2
        torch.manual_seed(0)
        np.testing.assert_allclose(f(x).detach(), want.detach(), rtol=1e-6)
    assert f._call.count == 3


def test_drawing_in_place_runs_eagerly(caplog):
    f = torch.compile(lambda x: torch.empty(2).normal_() + (x * 1).uniform_())
    for _ in range(20):
        torch.manual_seed(0)
        want = torch.empty(2).normal_() + torch.rand(2)
        torch.manual_seed(0)
        assert torch.equal(f(torch.ones(2)), want)
    assert len([r for r in caplog.records if "runs eagerly" in r.getMessage()]) == 1


def test_numbers_are_returned():
    def f(x, n):
        total = (x * 2).sum()
        y = x * 1
        found = {"total": total.item(), "n": [n.max().item(), bool(n is None), (n > 1).any().item()], "y": y[0].item()}
        y += 1
        return y, found

    g = torch.compile(f, fullgraph=True)
    x, n = torch.tensor([1.5, 2.5], requires_grad=True), torch.tensor([1, 2])
    for _ in range(3):
        (y, found), (z, want) = g(x, n), f(x, n)
        assert found == want
        assert [type(v) for v in found["n"]] == [int, bool, bool]
        assert torch.equal(y, z)
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        torch.compile(lambda x: x.item())(x)


def test_buffers_that_are_written_after_they_were_used():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("factor", torch.ones(2))

        def forward(self, x):
            y = x * self.factor
            self.factor += 1
            return y.sum()

    f = torch.compile(Counting(), fullgraph=True)
    for k in range(1, 4):
        x = torch.ones(2, requires_grad=True)
        y = f(x)
        assert y.item() == 2 * k
        y.backward()
        assert x.grad.tolist() == [k, k], "the gradient belongs to the values that were used"
