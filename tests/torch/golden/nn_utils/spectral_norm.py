"""Weights divided by their largest singular value: the parametrization, and the older hook."""

import torch
from torch import nn
from torch.nn import utils
from torch.nn.utils import parametrizations as P


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def rounded(t):
    return [round(v, 3) for v in t.flatten().tolist()]


torch.manual_seed(0)
m = P.spectral_norm(nn.Linear(3, 2), n_power_iterations=2)
print(m, [n for n, _ in m.named_buffers()], rounded(m.parametrizations.weight[0]._u))
y = m(torch.ones(1, 3)).sum()
y.backward()
print(
    rounded(y), rounded(m.parametrizations.weight.original.grad), round(torch.linalg.matrix_norm(m.weight, 2).item(), 3)
)
m.eval()
u = m.parametrizations.weight[0]._u.clone()
print(rounded(m.weight), torch.equal(u, m.parametrizations.weight[0]._u), m.weight.grad_fn.name())
print(m.load_state_dict(m.state_dict()))
print(rounded(P.spectral_norm(nn.Linear(3, 2), "bias").bias.norm()))
print(
    P.spectral_norm(nn.ConvTranspose1d(2, 3, 1)).parametrizations.weight[0].dim,
    P.spectral_norm(nn.Conv1d(2, 3, 1)).weight.shape,
)
show(lambda: P.spectral_norm(nn.Linear(3, 2), "x"))
show(lambda: P.spectral_norm(nn.Linear(3, 2), dim=5))
show(lambda: P.spectral_norm(nn.Linear(3, 2), n_power_iterations=0))

torch.manual_seed(0)
m = utils.spectral_norm(nn.Linear(3, 2))
print(m, [n for n, _ in m.named_buffers()], [n for n, _ in m.named_parameters()])
y = m(torch.ones(1, 3)).sum()
y.backward()
print(rounded(y), rounded(m.weight_orig.grad), rounded(m.weight_u), rounded(m.weight_v))
m.eval()
print(rounded(m(torch.ones(1, 3))), m.weight.grad_fn.name())
state = m.state_dict()
print(list(state), state._metadata)
print(m.load_state_dict(state))
old = {k: v for k, v in state.items() if k != "weight_v"}
show(lambda: m.load_state_dict(old))
old["weight"] = m.weight.detach()
v = m.weight_v.clone()
print(m.load_state_dict(old), torch.allclose(m.weight_v, v, atol=1e-3))
show(lambda: utils.spectral_norm(m))
show(lambda: utils.spectral_norm(nn.LazyLinear(2)))
show(lambda: utils.spectral_norm(nn.Linear(2, 2, bias=False), "bias"))
show(lambda: utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
w = m.weight.detach().clone()
print(
    utils.remove_spectral_norm(m), torch.allclose(m.weight, w), [n for n, _ in m.named_parameters()], list(m.buffers())
)
print(len(m._state_dict_hooks), len(m._forward_pre_hooks))
show(lambda: utils.remove_spectral_norm(m))
print(
    utils.spectral_norm(nn.ConvTranspose2d(2, 3, 1)).weight_u.shape,
    utils.spectral_norm(nn.Conv2d(2, 3, 1)).weight_v.shape,
)
