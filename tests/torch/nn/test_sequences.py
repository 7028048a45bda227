"""Recurrent layers and attention: what is written out in NumPy is what the formulas give, in every mode."""

import copy
import io
import math
import pickle

import numpy as np
import pytest

import funcgrad as fg
from funcgrad import torch
from funcgrad.torch.primitives.attention import attention, safe_softmax
from funcgrad.torch.primitives.elman import relu_layer, tanh_layer
from funcgrad.torch.primitives.gru import gru_layer
from funcgrad.torch.primitives.lstm import lstm_cell, lstm_layer
from funcgrad.torch.primitives.normal_chance import chance
from funcgrad.torch.serialization.file_names import found_in_torch

nn, functional = torch.nn, torch.nn.functional
RNG = np.random.default_rng(0)


def some(*shape):
    return RNG.standard_normal(shape)


def same_as_formula(fused, values, params, rtol=1e-9):
    """Result and cotangents of the two functions of ndarrays are those of the formula."""
    single = (lambda x: x) if fused.multiple else (lambda x: (x,))
    wanted, pull = fg.vjp(lambda *xs: single(fused.f(*xs, **params)), *values)
    got, kept = fused.run(tuple(values), params)
    for a, b in zip(single(got), wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12)
    g = tuple([some(*np.shape(o)) for o in wanted])
    found = fused.pulled(g if fused.multiple else g[0], kept, values[0].dtype, tuple(range(len(values))))
    for a, b in zip(found, pull(g), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-11)


LAYERS = {"lstm": (lstm_layer, 4, 2), "gru": (gru_layer, 3, 1), "tanh": (tanh_layer, 1, 1), "relu": (relu_layer, 1, 1)}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", [*LAYERS, "projected"])
def test_recurrent_layers_are_their_formula(kind, packed):
    layer, gates, states = LAYERS["lstm" if kind == "projected" else kind]
    b, i, h = 3, 2, 4
    p = 2 if kind == "projected" else h
    sizes = (3, 3, 2, 1) if packed else (b,) * 3
    for biased in (True, False):
        for reverse in (True, False):
            values = [some(sum(sizes), i) if packed else some(3, b, i), some(b, p)]
            values += [some(b, h)] if states == 2 else []
            values += [some(gates * h, i), some(gates * h, p)]
            values += [some(gates * h), some(gates * h)] if biased else []
            values += [some(p, h)] if kind == "projected" else []
            same_as_formula(layer, values, {"sizes": sizes, "reverse": reverse, "biased": biased})


@pytest.mark.parametrize("biases", [0, 1, 2])
def test_the_lstm_cell_is_its_formula(biases):
    same_as_formula(lstm_cell, [some(3, 2), some(3, 4), some(3, 4), some(16, 2), some(16, 4), *[some(16)] * biases], {})


def test_results_of_the_lstm_cell_that_nothing_depends_on_have_no_cotangent():
    values = some(3, 2), some(3, 4), some(3, 4), some(16, 2), some(16, 4)
    (c, o), kept = lstm_cell.run(values, {})
    zero = np.zeros_like(c)
    for g in ((None, o), (c, None)):
        found = lstm_cell.pulled(g, kept, c.dtype, tuple(range(5)))
        full = lstm_cell.pulled(tuple([zero if x is None else x for x in g]), kept, c.dtype, tuple(range(5)))
        for a, b in zip(found, full, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("heads", [4, 2, 1])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_its_formula(heads, masked, causal):
    mask = np.where(RNG.random((5, 6)) < 0.3, -np.inf, some(5, 6))
    mask[0, 0] = 0.0
    for scale in (0.5, 60.0):
        values = [some(2, 4, 5, 3), some(2, heads, 6, 3), some(2, heads, 6, 3), *([mask[None, None]] if masked else [])]
        params = {"scale": scale, "causal": causal}
        same_as_formula(attention, values[:3], params, rtol=1e-6)
        got = attention.run(tuple(values), params)[0]
        np.testing.assert_allclose(got, attention.f(*values, **params), rtol=1e-9, atol=1e-12)


def test_rows_that_are_all_masked_give_zeros():
    x = np.array([[0.0, 1.0], [-np.inf, -np.inf], [-np.inf, 2.0], [100.0, 0.0]])
    y, _ = safe_softmax.run((x,), {"axis": -1})
    np.testing.assert_allclose(y, [[1 / (1 + math.e), math.e / (1 + math.e)], [0, 0], [0, 1], [1, math.exp(-100)]])
    same_as_formula(safe_softmax, [some(3, 4)], {"axis": 0})
    assert safe_softmax.run((np.zeros((2, 0)),), {"axis": -1})[0].shape == (2, 0)


def test_half_precision_is_computed_in_single():
    x, h, a, b = (some(*s).astype("f2") for s in ((3, 2, 3), (2, 4), (12, 3), (12, 4)))
    params = {"sizes": (2, 2, 2), "reverse": False, "biased": False}
    (out, last), kept = gru_layer.run((x, h, a, b), params)
    (single, _), _ = gru_layer.run(tuple([v.astype("f4") for v in (x, h, a, b)]), params)
    assert out.dtype == last.dtype == np.float16
    np.testing.assert_array_equal(out, single.astype("f2"))
    assert {g.dtype for g in gru_layer.pulled((out, None), kept, out.dtype, (0, 1, 2, 3))} == {np.dtype("f2")}
    (q,) = [torch.ones(1, 1, 2, 2, dtype=torch.float16, requires_grad=True)]
    functional.scaled_dot_product_attention(q, q, q).sum().backward()
    assert q.grad.dtype == torch.float16


def weights(gates=4, i=2, h=3):
    return [torch.tensor(some(*s), requires_grad=True) for s in ((gates * h, i), (gates * h, h))]


def test_recurrent_layers_under_transforms_and_hooks():
    x, h = torch.tensor(some(4, 2, 2)), torch.tensor(some(1, 2, 3))
    w = weights(3)

    def run(x, *w):
        return torch.gru(x, h, w, False, 1, 0.0, False, False, False)[0].square().sum()

    wanted = torch.autograd.grad(run(x, *w), w)
    for g, found in zip(wanted, torch.func.grad(run, argnums=(1, 2))(x, *[v.detach() for v in w]), strict=True):
        np.testing.assert_allclose(found.numpy(), g.numpy(), rtol=1e-9)
    xs = torch.stack([x, 2 * x])
    found = torch.func.vmap(run, in_dims=(0, None, None))(xs, *[v.detach() for v in w])
    np.testing.assert_allclose(found.numpy(), [run(x, *w).item() for x in xs], rtol=1e-9)
    t = torch.tensor(some(4, 2, 2))
    _, slope = torch.func.jvp(lambda x: run(x, *[v.detach() for v in w]), (x,), (t,))
    leaf = x.clone().requires_grad_()
    (g,) = torch.autograd.grad(run(leaf, *w), leaf)
    assert slope.item() == pytest.approx((g * t).sum().item())
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.numpy().copy(), torch.tensor):
        loss = run(x, *[v.clone() for v in w])
    for g, found in zip(wanted, torch.autograd.grad(loss, w), strict=True):
        np.testing.assert_allclose(found.numpy(), g.numpy(), rtol=1e-9)


def test_gradients_of_gradients_against_differences():
    x, h, c = (torch.tensor(some(*s), requires_grad=True) for s in ((2, 1, 1), (1, 1, 2), (1, 1, 2)))
    w = weights(4, 1, 2)
    assert torch.autograd.gradgradcheck(
        lambda x, h, c, *w: torch.lstm(x, (h, c), w, False, 1, 0.0, False, False, False), (x, h, c, *w), atol=1e-4
    )
    q, k, v = (torch.tensor(some(1, 2, 3, 2), requires_grad=True) for _ in range(3))
    assert torch.autograd.gradgradcheck(
        lambda *xs: functional.scaled_dot_product_attention(*xs, is_causal=True), (q, k, v), atol=1e-4
    )


def test_a_result_that_is_written_into_leaves_the_gradient_alone():
    x, w = torch.tensor(some(3, 2, 2)), weights(1)
    grads = []
    for write in (False, True):
        out = torch.rnn_tanh(x, torch.zeros(1, 2, 3, dtype=torch.float64), w, False, 1, 0.0, False, False, False)[0]
        out = out.mul_(2) if write else out * 2
        grads.append(torch.autograd.grad(out.sum(), w))
    for a, b in zip(*grads, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    out = torch.rnn_tanh(x, torch.zeros(1, 2, 3, dtype=torch.float64), w, False, 1, 0.0, False, False, False)[0]
    with torch.no_grad():
        w[1].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_recurrent_modules_follow_their_parameters():
    model = nn.LSTM(2, 3, num_layers=2)
    x = torch.ones(4, 1, 2)
    before = model(x)[0]
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(twin(x)[0], before) and twin._flat_weights[0] is twin.weight_ih_l0
    model.weight_ih_l0 = nn.Parameter(torch.zeros(12, 2))
    assert model._flat_weights[0] is model.weight_ih_l0 and not torch.equal(model(x)[0], before)
    assert model.double()(x.double())[0].dtype == torch.float64
    zeros = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
    assert not torch.func.functional_call(model, zeros, (x.double(),))[0].any()
    old = model.__getstate__()
    old["all_weights"] = [[p] for p in model.parameters()]
    del old["proj_size"]
    fresh = nn.LSTM.__new__(nn.LSTM)
    fresh.__setstate__(old)
    assert fresh.proj_size == 0 and fresh._all_weights == model._all_weights
    assert torch.equal(fresh(x.double())[0], model(x.double())[0])
    assert model._replicate_for_data_parallel()._flat_weights is not model._flat_weights
    with pytest.warns(FutureWarning, match="apply_permutation"):
        assert torch.equal(
            nn.modules.rnn.apply_permutation(x, torch.tensor([0])),
            x,
        )


def test_modules_from_old_files_get_what_they_lack():
    state = dict(vars(nn.MultiheadAttention(4, 2)))
    del state["_qkv_same_embed_dim"]
    fresh = nn.MultiheadAttention.__new__(nn.MultiheadAttention)
    fresh.__setstate__(state)
    assert fresh._qkv_same_embed_dim is True
    for kind in (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer):
        state = dict(vars(kind(4, 2, 8)))
        del state["activation"]
        fresh = kind.__new__(kind)
        fresh.__setstate__(state)
        assert fresh.activation is functional.relu


def test_a_custom_encoder_and_decoder_are_taken():
    model = nn.Transformer(4, 2, custom_encoder=nn.Identity(), custom_decoder=nn.Identity())
    assert isinstance(model.encoder, nn.Identity) and not list(model.parameters())


def test_static_keys_take_the_place_of_projected_ones():
    x = torch.tensor(some(3, 1, 4))
    w, b = torch.tensor(some(12, 4)), torch.tensor(some(12))
    out, o = torch.tensor(some(4, 4)), torch.zeros(4, dtype=torch.float64)

    def attend(**options):
        return functional.multi_head_attention_forward(x, x, x, 4, 2, w, b, None, None, False, 0.0, out, o, **options)

    _, k, v = functional.linear(x, w, b).view(3, 1, 3, 4).unbind(2)
    heads = [y.reshape(3, 2, 2).transpose(0, 1) for y in (k, v)]
    wanted, found = attend()[0], attend(static_k=heads[0], static_v=heads[1])[0]
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-9)
    for wrong, text in (
        (heads[0][:1], "size\\(0\\) of 2, but got 1"),
        (heads[0][..., :1], "size\\(2\\) of 2, but got 1"),
    ):
        with pytest.raises(AssertionError, match=text):
            attend(static_k=wrong)
        with pytest.raises(AssertionError, match=text):
            attend(static_v=wrong)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"use_separate_proj_weight": True}, "use_separate_proj_weight is True but q_proj_weight is None"),
        ({"in_proj_weight": None}, "use_separate_proj_weight is False but in_proj_weight is None"),
        ({"bias_k": torch.zeros(1, 1, 4)}, "bias_k is set but bias_v is None"),
        ({"bias_v": torch.zeros(1, 1, 4)}, "bias_v is set but bias_k is None"),
        ({"num_heads": 3}, "embed_dim 4 not divisible by num_heads 3"),
        (
            {"bias_k": torch.zeros(1, 1, 4), "bias_v": torch.zeros(1, 1, 4), "static_k": torch.zeros(2, 3, 2)},
            "bias cannot be added to static key.",
        ),
        (
            {
                "use_separate_proj_weight": True,
                "q_proj_weight": torch.zeros(4, 3),
                "k_proj_weight": torch.zeros(4, 4),
                "v_proj_weight": torch.zeros(4, 4),
            },
            r"expecting query weights shape of \(4, 4\), but got torch.Size\(\[4, 3\]\)",
        ),
    ],
)
def test_attention_of_several_heads_refuses(options, text):
    x = torch.zeros(3, 1, 4)
    given = {
        "embed_dim_to_check": 4, "num_heads": 2, "in_proj_weight": torch.zeros(12, 4), "in_proj_bias": None,
        "bias_k": None, "bias_v": None, "add_zero_attn": False, "dropout_p": 0.0, "out_proj_weight": torch.zeros(4, 4),
        "out_proj_bias": None,
    }  # fmt: skip
    with pytest.raises(AssertionError, match=text):
        functional.multi_head_attention_forward(x, x, x, **{**given, **options})


def test_kernels_of_attention_are_put_back():
    backends = torch.backends
    with pytest.warns(FutureWarning, match="sdp_kernel"), backends.cuda.sdp_kernel(enable_flash=False):
        assert not backends.cuda.flash_sdp_enabled() and backends.cuda.mem_efficient_sdp_enabled()
    assert backends.cuda.flash_sdp_enabled()
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    x, ended = torch.ones(1, 2, 4), torch.ones(1, 2, dtype=torch.bool)
    with torch.no_grad():
        assert layer(x, src_key_padding_mask=ended).isnan().all()
        backends.mha.set_fastpath_enabled(False)
        try:
            assert not layer(x, src_key_padding_mask=ended).isnan().any()
        finally:
            backends.mha.set_fastpath_enabled(True)
    assert backends.mha.get_fastpath_enabled()


def test_padded_positions_are_left_out_and_say_so_once():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 1).eval()
    ended = torch.tensor([[False, False, True]])
    torch.set_warn_always(True)
    try:
        with torch.no_grad(), pytest.warns(UserWarning, match="nested tensors is in prototype stage"):
            out = encoder(torch.ones(1, 3, 4), src_key_padding_mask=ended)
    finally:
        torch.set_warn_always(False)
    assert not out[0, 2].any() and out[0, 1].any()


def test_the_chance_of_a_normal_number_in_single_precision():
    x = np.concatenate([np.linspace(-8, 8, 4001), [0.0, -0.0, 1e-20, np.inf, -np.inf, 1e30]]).astype("f4")
    wanted = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.astype(float)])
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(chance(x), wanted, rtol=0, atol=1.5e-7)
        np.testing.assert_allclose(chance(x.astype("f8")), wanted, rtol=0, atol=1e-15)
    assert np.isnan(chance(np.array([np.nan], "f4")))[0]


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_recurrent_modules_in_mixed_precision(kind):
    pytest.importorskip("ml_dtypes")
    first, model = nn.Linear(2, 2), kind(2, 3)
    x = torch.ones(3, 1, 2)
    wanted = model(first(x))[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(first(x))[0]
    assert out.dtype == torch.bfloat16
    np.testing.assert_allclose(out.detach().float().numpy(), wanted.detach().numpy(), atol=0.02)
    out.float().sum().backward()
    assert first.weight.grad.dtype == model.weight_hh_l0.grad.dtype == torch.float32
    with pytest.raises(ValueError, match="does not match weight dtype"):
        model(x.bfloat16())


def test_functions_in_files_of_modules_are_found_where_torch_shows_them():
    layer = nn.TransformerDecoderLayer(4, 2, 8, activation="gelu")
    file = io.BytesIO()
    torch.save(layer, file)
    file.seek(0)
    assert torch.load(file, weights_only=False).activation is functional.gelu
    assert found_in_torch("torch._C._nn", "gelu") is functional.gelu
    assert found_in_torch("torch._C", "_VariableFunctionsClass").tanh is torch.tanh
