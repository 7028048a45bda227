# What modules print, where they are from, and what they hold.
import torch
from torch import nn

layers = [
    nn.Threshold(0.1, 20), nn.ReLU(), nn.ReLU(True), nn.RReLU(0.1, 0.3, True), nn.Hardtanh(-2, 2), nn.ReLU6(),
    nn.Sigmoid(), nn.Hardsigmoid(True), nn.Tanh(), nn.SiLU(True), nn.Mish(), nn.Hardswish(), nn.ELU(2.0),
    nn.CELU(), nn.SELU(), nn.GLU(), nn.GELU("tanh"), nn.Hardshrink(), nn.LeakyReLU(0.2, True),
    nn.LogSigmoid(), nn.Softplus(), nn.Softshrink(0.3), nn.PReLU(3), nn.Softsign(), nn.Tanhshrink(),
    nn.Softmin(1), nn.Softmax(), nn.Softmax2d(), nn.LogSoftmax(-1), nn.Dropout(), nn.AlphaDropout(0.2),
    nn.Flatten(), nn.Unflatten(1, (2, 2)), nn.BatchNorm1d(2), nn.LayerNorm(2), nn.GroupNorm(1, 2),
    nn.RMSNorm(2), nn.InstanceNorm3d(2), nn.LocalResponseNorm(2), nn.LazyInstanceNorm2d(),
]  # fmt: skip
for layer in layers:
    print(layer, type(layer).__module__, getattr(layer, "__constants__", None), dict(layer.named_parameters()))
print(nn.modules.utils._pair(3), nn.modules.utils._ntuple(3)([1, 2]), nn.modules.utils._reverse_repeat_tuple((1, 2), 2))
print(nn.modules.utils._list_with_default([None, 5], [2, 3, 4]))
try:
    nn.modules.utils._list_with_default([None, 5], [2, 3])
except ValueError as e:
    print(e)
state = {"module.weight": 1, "other": 2}
nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
print(state)
x = torch.randn(2, 3, generator=torch.Generator().manual_seed(0))
print(nn.PReLU(3)(x).equal(torch.where(x > 0, x, x * 0.25)), nn.Sigmoid()(torch.zeros(1)), nn.Tanh()(torch.zeros(1)))
for name in (
    "LogSigmoid",
    "Softsign",
    "Tanhshrink",
    "Hardshrink",
    "Softshrink",
    "Softplus",
    "GELU",
    "SELU",
    "Mish",
    "SiLU",
):
    print(name, [round(v, 3) for v in getattr(nn, name)()(torch.tensor([-1.0, 2.0])).tolist()])
