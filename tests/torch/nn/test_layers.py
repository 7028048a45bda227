"""Activations, normalization, dropout and padding: what the recorded scripts of PyTorch do not show."""

import math
import pickle

import numpy as np
import pytest

from funcgrad import torch

F, nn = torch.nn.functional, torch.nn


def numbers(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape).tolist(), dtype=torch.float64)


LAYERS = {
    "gelu": nn.GELU(),
    "glu": nn.GLU(),
    "batch": nn.BatchNorm1d(4, track_running_stats=False).double(),
    "batch, evaluating": nn.BatchNorm1d(4).double().eval(),
    "layer": nn.LayerNorm(6).double(),
    "group": nn.GroupNorm(2, 4).double(),
    "instance": nn.InstanceNorm1d(4, affine=True).double(),
    "rms": nn.RMSNorm(6).double(),
    "reflection": nn.ReflectionPad1d((1, 2)),
    "replication": nn.ReplicationPad1d((2, 0)),
    "circular": nn.CircularPad1d((1, 2)),
    "constant": nn.ConstantPad1d((1, -2), 3.0),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_gradients_of_first_and_second_order(layer):
    x = numbers(3, 4, 6).requires_grad_()
    names, params = [n for n, _ in layer.named_parameters()], tuple(layer.parameters())

    def f(x, *params):
        return torch.func.functional_call(layer, dict(zip(names, params, strict=True)), (x,))

    assert torch.autograd.gradcheck(f, (x, *params), check_forward_ad=True, fast_mode=True)
    assert torch.autograd.gradgradcheck(f, (x, *params), fast_mode=True)


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_vmap_is_a_loop(layer):
    x = numbers(2, 3, 4, 6)
    found = torch.func.vmap(layer)(x)
    assert torch.allclose(found, torch.stack([layer(e) for e in x]))

    def loss(x):
        return (layer(x) ** 3).sum()

    slopes = torch.func.vmap(torch.func.grad(loss))(x)
    assert torch.allclose(slopes, torch.stack([torch.func.grad(loss)(e) for e in x]))


@pytest.mark.parametrize("layer", ["batch", "layer", "group", "instance"])
def test_weights_of_their_own_in_a_batch(layer):
    """vmap over weights, as for an ensemble of models."""
    module = LAYERS[layer]
    params = {n: numbers(2, *p.shape, seed=1) for n, p in module.named_parameters()}
    x = numbers(3, 4, 6)
    found = torch.func.vmap(lambda p: torch.func.functional_call(module, p, (x,)))(params)
    each = [torch.func.functional_call(module, {n: p[i] for n, p in params.items()}, (x,)) for i in range(2)]
    assert torch.allclose(found, torch.stack(each))


def test_batch_norm_in_single_precision_is_exact_for_large_means():
    x = torch.tensor((1000 + np.random.default_rng(0).normal(size=(64, 3, 50))).tolist())
    exact = x.double()
    mean, var = exact.mean((0, 2), keepdim=True), exact.var((0, 2), correction=0, keepdim=True)
    expected = (exact - mean) / (var + 1e-5).sqrt()
    assert (F.batch_norm(x, None, None, training=True).double() - expected).abs().max() < 1e-4


def test_running_statistics_follow_inside_gradients():
    mean, var = torch.zeros(2), torch.ones(2)
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    torch.func.grad(lambda x: F.batch_norm(x, mean, var, training=True).sum())(x)
    assert torch.allclose(mean, torch.tensor([0.2, 0.4]))
    assert torch.allclose(var, torch.tensor([0.9 + 0.1 * 2, 0.9 + 0.1 * 8]))
    version = mean._version
    F.batch_norm(x, mean, var, training=True)
    assert mean._version > version


@pytest.mark.parametrize(
    "f",
    [
        lambda x: torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.1),
        lambda x: torch.native_layer_norm(x, (6,), None, None, 0.1),
        lambda x: torch.native_group_norm(x, None, None, 3, 4, 6, 2, 0.1),
    ],
    ids=["batch", "layer", "group"],
)
def test_statistics_inside_a_transform(f):
    x = numbers(2, 3, 4, 6)
    found = torch.func.vmap(f)(x)
    for k in range(3):
        assert torch.allclose(found[k], torch.stack([f(e)[k] for e in x]))


def test_running_statistics_of_their_own_in_a_batch():
    x, mean, var = numbers(2, 5, 3), torch.zeros(2, 3, dtype=torch.float64), torch.ones(2, 3, dtype=torch.float64)
    torch.func.vmap(lambda x, m, v: F.batch_norm(x, m, v, training=True))(x, mean, var)
    assert torch.allclose(mean, 0.1 * x.mean(1)) and torch.allclose(var, 0.9 + 0.1 * x.var(1))


@pytest.mark.parametrize(
    "layer",
    [
        nn.BatchNorm2d(3),
        nn.GroupNorm(3, 3),
        nn.ReflectionPad2d(1),
        nn.ReplicationPad2d(1),
        nn.ZeroPad2d(1),
        nn.GELU(),
        nn.GLU(2),
        nn.Dropout(),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_channels_stay_last_in_memory(layer):
    x = torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert layer(x).is_contiguous(memory_format=torch.channels_last)
    assert layer(torch.ones(2, 3, 4, 5)).is_contiguous()


def test_forward_derivative_by_the_weight():
    x, w = numbers(4, 6), numbers(6, seed=1)
    fa = torch.autograd.forward_ad
    with fa.dual_level():
        tangent = fa.unpack_dual(F.layer_norm(x, (6,), fa.make_dual(w, torch.ones_like(w)))).tangent
    assert torch.allclose(tangent, F.layer_norm(x, (6,)))


def test_layer_norm_in_inference_mode():
    with torch.inference_mode():
        y = F.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    assert y.is_inference() and torch.allclose(y, torch.tensor([[-1.0, 1.0]]))


def test_relu_in_place_after_batch_norm():
    """The backward pass of a normalization does not need its result."""
    x = numbers(4, 3).requires_grad_()
    model = nn.Sequential(nn.BatchNorm1d(3), nn.ReLU(inplace=True)).double()
    model(x).sum().backward()
    x.grad, found = None, x.grad
    nn.Sequential(model[0], nn.ReLU()).train()(x).sum().backward()
    assert torch.allclose(x.grad, found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_numbers_of_two_bytes_are_computed_in_single_precision(dtype):
    x = (numbers(40) * 2).to(dtype).requires_grad_()
    for f in (F.gelu, F.silu, F.mish, F.softplus, F.logsigmoid, F.elu, F.hardswish, F.glu):
        y = f(x)
        (g,) = torch.autograd.grad(y.sum(), x)
        z = x.detach().float().requires_grad_()
        exact = f(z)
        assert y.dtype is dtype and torch.equal(y, exact.to(dtype))
        assert torch.equal(g, torch.autograd.grad(exact.sum(), z)[0].to(dtype))


def test_gelu_is_the_normal_distribution_times_x():
    x = [-30.0, -6.0, -2.0, -0.3, 0.0, 0.4, 1.7, 5.0, 40.0]
    expected = [v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x]
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 5e-7)):
        assert np.allclose(F.gelu(torch.tensor(x, dtype=dtype)).tolist(), expected, rtol=0, atol=tolerance)


def test_gumbel_softmax_of_one_temperature():
    torch.manual_seed(0)
    counts = sum(F.gumbel_softmax(torch.tensor([0.0, math.log(3)]).expand(400, 2), hard=True)).tolist()
    assert sum(counts) == pytest.approx(400) and 270 < counts[1] < 330


def test_lazy_layers_are_pickled_before_they_know_their_sizes():
    layer = pickle.loads(pickle.dumps(nn.LazyBatchNorm1d()))
    assert [type(p).__name__ for p in layer.parameters()] == ["UninitializedParameter"] * 2
    layer(torch.ones(2, 3))
    assert type(layer) is nn.BatchNorm1d and pickle.loads(pickle.dumps(layer)).running_mean.shape == (3,)
    for lazy, ndim in ((nn.LazyBatchNorm2d, 4), (nn.LazyBatchNorm3d, 5), (nn.LazyInstanceNorm3d, 5)):
        layer = lazy(affine=True)
        layer(torch.ones(2, 3, *[2] * (ndim - 2)))
        assert layer.num_features == 3 and layer.weight.shape == (3,)
        with pytest.raises(ValueError, match="input \\(got 2D input\\)"):
            layer(torch.ones(2, 3))


def test_old_statistics_of_instance_norm():
    state = {"running_mean": torch.zeros(2), "running_var": torch.ones(2)}
    with pytest.raises(RuntimeError, match='Unexpected running stats buffer\\(s\\) "running_mean" and "running_var"'):
        nn.InstanceNorm1d(2).load_state_dict(state)


def test_gradcheck_leaves_the_default_generator_alone():
    layer = nn.RReLU()

    def drawn(x):
        state = torch.get_rng_state()
        y = layer(x)
        torch.set_rng_state(state)
        return y

    torch.manual_seed(0)
    x = numbers(4).requires_grad_()
    assert torch.autograd.gradcheck(drawn, (x,), fast_mode=True)
    assert torch.autograd.gradgradcheck(drawn, (x,), fast_mode=True, grad_outputs=(numbers(4),))


def test_vmap_of_binary_cross_entropies_has_weights_for_each_example():
    x, weights = (
        torch.linspace(-2, 2, 27).reshape(3, 3, 3),
        torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    )

    def losses(x, w):
        p = x.sigmoid()
        logits = F.binary_cross_entropy_with_logits(x, p.detach(), pos_weight=w)
        return logits + F.binary_cross_entropy(p, p.detach(), w) + F.binary_cross_entropy_with_logits(x, p.detach())

    for f in (losses, torch.func.grad(losses)):
        for own in (weights, weights[:1].expand(3, 3)):
            expected = torch.stack([f(a, w) for a, w in zip(x, own, strict=True)])
            assert torch.allclose(torch.vmap(f)(x, own), expected)
        assert torch.allclose(torch.vmap(f, (0, None))(x, weights[0]), expected)
