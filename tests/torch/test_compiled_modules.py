"""Modules as functions of the functional face: values, gradients, state, and what is refused."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.nn import functional as F

rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype("f")


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        q, k, v = (t.view(2, 3, 2, 4).transpose(1, 2) for t in self.qkv(self.norm(x)).split(8, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).contiguous().view(2, 3, 8))


class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(7, 4), nn.Embedding(5, 4)

    def forward(self, x):
        return self.words(x) + self.places(torch.arange(x.size(1)))


CASES = {
    "mlp": (lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(inplace=True), nn.Linear(5, 3)), lambda: floats(6, 4)),
    "conv": (
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)),
        lambda: floats(2, 1, 4, 4),
    ),
    "attention": (Attention, lambda: floats(2, 3, 8)),
    "embedding": (Places, lambda: np.array([[1, 2, 6], [0, 2, 2]])),
    "norm": (lambda: nn.Sequential(nn.GroupNorm(2, 4), nn.GELU(), nn.AvgPool1d(2)), lambda: floats(2, 4, 6)),
    "evaluated": (lambda: nn.Sequential(nn.BatchNorm1d(4), nn.Dropout()).eval(), lambda: floats(5, 4)),
    "transformer": (
        lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True),
        lambda: floats(2, 3, 4),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_are_those_of_the_torch_face(case):
    torch.manual_seed(0)
    model, x = CASES[case][0](), CASES[case][1]()
    given = x.copy()
    f, params = torch.func.as_function(model)
    out = model(torch.from_numpy(x.copy()))
    w = floats(*out.shape)
    (out * torch.from_numpy(w)).sum().backward()

    def loss(params, x):
        return (f(params, x) * w).sum()

    np.testing.assert_allclose(f(params, x), out.detach().numpy(), rtol=1e-4, atol=1e-5)
    for transform in (fg.value_and_grad(loss), fg.jit(fg.value_and_grad(loss))):
        value, grads = transform(params, x)
        np.testing.assert_allclose(value, (out.detach().numpy() * w).sum(), rtol=1e-4, atol=1e-4)
        for name, p in model.named_parameters():
            assert grads[name].dtype == np.float32
            np.testing.assert_allclose(grads[name], p.grad.numpy(), rtol=1e-3, atol=1e-4, err_msg=name)
    np.testing.assert_array_equal(x, given)


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers(kind):
    torch.manual_seed(0)
    model, x = kind(3, 4, batch_first=True), floats(2, 5, 3)
    f, params = torch.func.as_function(model)
    model(torch.from_numpy(x))[0].sum().backward()
    grads = fg.jit(fg.grad(lambda params: f(params, x)[0].sum()))(params)
    for name, p in model.named_parameters():
        np.testing.assert_allclose(grads[name], p.grad.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("loss", "target"),
    [
        (F.cross_entropy, lambda: np.array([0, 2, 1, 2])),
        (F.mse_loss, lambda: floats(4, 3)),
        (F.smooth_l1_loss, lambda: floats(4, 3)),
        (F.binary_cross_entropy_with_logits, lambda: (floats(4, 3) > 0).astype("f")),
        (lambda x, y: F.kl_div(x.log_softmax(1), y, reduction="batchmean"), lambda: np.full((4, 3), 1 / 3, "f")),
    ],
)
def test_losses(loss, target):
    x, y = floats(4, 3), target()
    t = torch.from_numpy(x.copy()).requires_grad_()
    loss(t, torch.from_numpy(y)).backward()
    grad = fg.jit(fg.grad(torch.func.on_arrays(loss)))(x, y)
    np.testing.assert_allclose(grad, t.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_examples_are_batched():
    f, params = torch.func.as_function(nn.Linear(3, 2))
    x = floats(5, 3)
    np.testing.assert_allclose(fg.vmap(f, in_axes=(None, 0))(params, x), f(params, x), rtol=1e-5)
    each = fg.jit(fg.vmap(fg.grad(lambda p, x: f(p, x).sum()), in_axes=(None, 0)))(params, x)
    np.testing.assert_allclose(each["weight"][:, 0], x, rtol=1e-6)


def test_a_compiled_step_learns_and_goes_back_into_the_model():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    f, params = torch.func.as_function(model)
    x = floats(32, 2)
    y = x[:, :1] * x[:, 1:]
    loss = fg.value_and_grad(lambda p: torch.func.on_arrays(F.mse_loss)(f(p, x), y))

    @fg.jit
    def step(params):
        value, grads = loss(params)
        return value, {name: params[name] - 0.05 * grads[name] for name in params}

    first, _ = step(params)
    for _ in range(400):
        last, params = step(params)
    assert last < 0.3 * first, (first, last)
    f.load(params)
    np.testing.assert_array_equal(model[0].weight.detach().numpy(), params["0.weight"])
    assert model[0].weight.requires_grad
    with pytest.raises(RuntimeError, match=r"not the same names as what was given: 0\.bias"):
        f.load({name: p for name, p in params.items() if name != "0.bias"})
    with pytest.raises(RuntimeError, match=r"0\.bias has the shape \(8,\) in the model, and \(3,\) was given"):
        f.load({**params, "0.bias": floats(3)})


def test_buffers_go_in_and_come_out():
    model = nn.BatchNorm1d(3)
    f, params, state = torch.func.as_function(model, state=True)
    x = floats(6, 3)

    def loss(params, state, x):
        out, state = f(params, state, x)
        return (out**2).sum(), state

    (_, new), _ = fg.jit(fg.value_and_grad(loss, has_aux=True))(params, state, x)
    np.testing.assert_array_equal(model.running_mean.numpy(), np.zeros(3, "f"))
    np.testing.assert_array_equal(state["buffers"]["running_mean"], np.zeros(3, "f"))
    model(torch.from_numpy(x))
    for name, b in model.named_buffers():
        np.testing.assert_allclose(new["buffers"][name], b.numpy(), rtol=1e-5)
    fresh = nn.BatchNorm1d(3)
    torch.func.as_function(fresh, state=True)[0].load(params, new)
    np.testing.assert_allclose(fresh.running_var.numpy(), model.running_var.numpy(), rtol=1e-5)
    assert fresh.num_batches_tracked == 1


@pytest.mark.parametrize("compiled", [False, True])
def test_changed_buffers_without_state_are_refused(compiled):
    f, params = torch.func.as_function(nn.Sequential(nn.BatchNorm1d(3)))
    f = fg.jit(f) if compiled else f
    with pytest.raises(RuntimeError, match=r"changes its buffers 0\.running_mean, .*as_function\(model, state=True\)"):
        f(params, floats(4, 3))


def test_compiled_dropout_draws_what_torch_draws():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Dropout(0.5), nn.Dropout1d(0.3))
    f, params, state = torch.func.as_function(model, state=True)
    x = np.ones((2, 3, 4), "f")
    wanted = [model(torch.from_numpy(x)).numpy() for _ in range(3)]
    after = torch.get_rng_state().numpy()
    for call in (f, fg.jit(f)):
        s = state
        for one in wanted:
            out, s = call(params, s, x)
            np.testing.assert_array_equal(out, one)
        np.testing.assert_array_equal(s["random"], after)
    np.testing.assert_array_equal(torch.get_rng_state().numpy(), after)
    grads, _ = fg.jit(fg.grad(lambda x: (lambda o: (o[0].sum(), o[1]))(f(params, state, x)), has_aux=True))(x)
    np.testing.assert_array_equal(grads, wanted[0])


def test_random_numbers_without_state_are_refused():
    f, params = torch.func.as_function(nn.Dropout())
    x = np.ones((2, 3), "f")
    assert set(np.unique(np.asarray(f(params, x))).tolist()) <= {0.0, 2.0}
    with pytest.raises(RuntimeError, match=r"would be the same whenever the compiled function runs.*state=True"):
        fg.jit(f)(params, x)
    with pytest.raises(RuntimeError, match="function of the functional face that is batched"):
        fg.vmap(f, in_axes=(None, 0))(params, x)
    f, params, state = torch.func.as_function(nn.Dropout(), state=True)
    with pytest.raises(RuntimeError, match="function of the functional face that is batched"):
        fg.vmap(f, in_axes=(None, None, 0))(params, state, x)


def test_draws_that_can_not_wait():
    generator = torch.Generator()
    other = fg.jit(torch.func.on_arrays(lambda x: x + torch.rand(3, generator=generator)))
    with pytest.raises(RuntimeError, match="would be the same"):
        other(np.ones(3, "f"))

    class Noise(nn.Module):
        def __init__(self, draw):
            super().__init__()
            self.draw = draw

        def forward(self, x):
            return x + self.draw()

    f, params, state = torch.func.as_function(Noise(lambda: torch.rand(3, generator=generator)), state=True)
    with pytest.raises(RuntimeError, match="Only random numbers of the default generator"):
        fg.jit(f)(params, state, np.ones(3, "f"))
    f, params, state = torch.func.as_function(Noise(lambda: torch.poisson(torch.ones(3))), state=True)
    with pytest.raises(RuntimeError, match="distribution depends on values"):
        fg.jit(f)(params, state, np.ones(3, "f"))


def test_no_grad_and_detach_hide_from_the_functional_face():
    def f(x):
        with torch.no_grad():
            factor = x * 2
        return (x * factor + x.detach()).sum()

    grad = fg.grad(torch.func.on_arrays(f))
    np.testing.assert_array_equal(grad(np.float32([1, 3])), [2, 6])
    np.testing.assert_array_equal(fg.jit(grad)(np.float32([1, 3])), [2, 6])
    _, tangent = fg.jvp(torch.func.on_arrays(lambda x: x * x), (np.float32(3),), (np.float32(1),))
    assert tangent == 6


def test_values_can_not_be_looked_at_in_a_compiled_function():
    f = fg.jit(torch.func.on_arrays(lambda x: x if bool(x.sum() > 0) else -x))
    with pytest.raises(fg.errors.FuncgradError, match="bool"):
        f(np.ones(2, "f"))


def test_arguments_are_not_written_into():
    x = np.ones(2, "f")
    np.testing.assert_array_equal(torch.func.on_arrays(lambda t: t.mul_(3))(x), [3, 3])
    np.testing.assert_array_equal(fg.jit(torch.func.on_arrays(lambda t: t.mul_(3)))(x), [3, 3])
    np.testing.assert_array_equal(x, [1, 1])


def test_safe_softmax_counts_axes_from_the_front():
    mask = np.array([[True, False], [True, True]])
    f = torch.func.on_arrays(lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m).sum())
    q = floats(1, 1, 2, 3)
    np.testing.assert_allclose(fg.jit(fg.grad(f))(q, mask), fg.grad(f)(q, mask), rtol=1e-4, atol=1e-5)


def test_a_compiled_program_looks_for_the_maxima_of_windows_once():
    pooled = torch.func.on_arrays(lambda x: (F.max_pool2d(x, 2) ** 2).sum())
    x = np.random.default_rng(0).normal(size=(1, 2, 4, 6))
    gradient = fg.jit(fg.grad(pooled))
    source = gradient.source(x)
    assert source.count("window_largest(") == 1 and "window_pick" not in source and "window_argmax" not in source
    t = torch.tensor(x, requires_grad=True)
    (F.max_pool2d(t, 2) ** 2).sum().backward()
    np.testing.assert_array_equal(gradient(x), t.grad)
    jvp = fg.jit(lambda x, t: fg.jvp(pooled, (x,), (t,))[1])
    np.testing.assert_allclose(jvp(x, x), (t.grad.numpy() * x).sum())


LAYOUTS = {
    "a view": lambda x: x.t(),
    "elementwise": lambda x: torch.tanh(x.t()) * 2 + x.t(),
    "of three dimensions": lambda x: torch.relu(x.view(3, 2, 2).permute(1, 0, 2)),
    "a product": lambda x: (x.t() @ x).t(),
    "masked twice": lambda x: nn.functional.dropout(x.t(), 0.5) - 1,
    "copied": lambda x: (x.t() * 2).reshape(2, 6).t(),
}


class Masked(nn.Module):
    def __init__(self, layout):
        super().__init__()
        self.layout, self.weight = layout, nn.Parameter(torch.ones(3, 4))

    def forward(self, x):
        return nn.functional.dropout(self.layout(x * self.weight), 0.5)


@pytest.mark.parametrize("name", LAYOUTS)
def test_masks_follow_the_memory_of_what_they_mask(name):
    """A mask is drawn in the order of memory, which a compiled function has to know of values that have none yet."""
    model, x = Masked(LAYOUTS[name]), torch.arange(1.0, 13).view(3, 4)
    torch.manual_seed(3)
    want = model(x).detach().numpy()
    torch.manual_seed(3)
    f, params, state = torch.func.as_function(model, state=True)
    np.testing.assert_allclose(fg.jit(f)(params, state, x.numpy())[0], want, rtol=1e-6)
    compiled = torch.compile(model, fullgraph=True)
    for _ in range(3):
        torch.manual_seed(3)
        np.testing.assert_allclose(compiled(x).detach(), want, rtol=1e-6)
