# Padding in all modes, negative widths too; gradients; what is refused.
import torch
from torch import nn
from torch.nn import functional as F

x = torch.arange(8.0).view(1, 2, 4).requires_grad_()
w = torch.arange(1.0, 100.0)
for mode in ("constant", "reflect", "replicate", "circular"):
    for widths in ((1, 2), (-1, 2), (0, 0), (2, -1, 1, 0), (1, 1, -1, 1)):
        y = F.pad(x, widths, mode)
        (g,) = torch.autograd.grad((y * w[: y.numel()].view(y.shape)).sum(), x)
        print(mode, widths, type(y.grad_fn).__name__, y.tolist(), g.tolist())
volume = torch.arange(8.0).view(1, 1, 2, 2, 2)
for layer in (
    nn.ReflectionPad3d(1),
    nn.ReplicationPad3d((0, 1, 1, 0, 0, 0)),
    nn.CircularPad3d((1, 0, 0, 0, 0, 1)),
    nn.ConstantPad3d(1, 2.5),
):
    print(layer, layer(volume).flatten().tolist())
for layer in (
    nn.ZeroPad1d(1),
    nn.ZeroPad2d((1, 0, 2, 0)),
    nn.ZeroPad3d(0),
    nn.ConstantPad1d((1, 0), 3),
    nn.CircularPad1d(2),
    nn.ReflectionPad2d(1),
):
    print(layer, layer.padding)
y = F.pad(x, (1, 1), "reflect")
print(y.grad_fn._saved_padding, F.pad(x, (1, 1)).grad_fn._saved_pad)
(g,) = torch.autograd.grad(y, x, torch.ones_like(y).requires_grad_(), create_graph=True)
print(type(g.grad_fn).__name__)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda: F.pad(x, (1,)))
attempt(lambda: F.pad(x, (1,) * 8))
attempt(lambda: F.pad(x, (1, 1), "other"))
attempt(lambda: F.pad(x, (1, 1), "reflect", value=2))
attempt(lambda: F.pad(x, (4, 1), "reflect"))
attempt(lambda: F.pad(x, (5, 1), "circular"))
attempt(lambda: F.pad(x, (-3, -2), "circular"))
attempt(lambda: F.pad(x, (-3, -2), "replicate"))
attempt(lambda: F.pad(x, (-3, -2)))
attempt(lambda: F.pad(volume, (0, 0, -3, 0, 1, 0), "replicate"))
attempt(lambda: F.pad(x, (1,) * 6, "reflect"))
attempt(lambda: F.pad(x[0, 0], (1, 1), "reflect"))
attempt(lambda: F.pad(x[:, :0], (1, 1), "replicate"))
attempt(lambda: F.pad(torch.tensor(1.0), (1, 1)))
attempt(lambda: F.pad(torch.ones(2, 2, dtype=torch.bool), (1, 1), "reflect"))
attempt(lambda: F.pad(torch.ones(2, dtype=torch.bool), (1, 0), value=0))
attempt(lambda: F.pad(torch.ones(2, dtype=torch.int32), (1, 0), value=1.5))
attempt(lambda: F.pad(x, 1))
attempt(lambda: torch.constant_pad_nd(x, (1,)))
attempt(lambda: torch.constant_pad_nd(x, (1,) * 8))
attempt(lambda: nn.CircularPad2d(1)(torch.ones(2)))
attempt(lambda: nn.Unflatten(0, 3))
attempt(lambda: nn.Unflatten(0, (2, 1.5)))
print(nn.Flatten()(volume).shape, nn.Unflatten(2, (1, 2))(volume).shape, nn.Unflatten(1, [1, 1]), nn.Flatten(0, 2))
