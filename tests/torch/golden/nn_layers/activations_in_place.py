# Writing the result into the input, and what may go wrong.
import torch
from torch import nn
from torch.nn import functional as F

x = torch.tensor([-2.0, -0.5, 0.5, 7.0], requires_grad=True)
for name in (
    "relu",
    "relu6",
    "hardtanh",
    "hardsigmoid",
    "silu",
    "mish",
    "hardswish",
    "elu",
    "celu",
    "selu",
    "leaky_relu",
):
    y = x * 1
    z = getattr(F, name)(y, inplace=True)
    z.sum().backward()
    print(
        name,
        z is y,
        type(z.grad_fn).__name__,
        [round(v, 3) for v in z.tolist()],
        [round(v, 3) for v in x.grad.tolist()],
    )
    x.grad = None
torch.manual_seed(0)
y = x * 1
z = F.rrelu(y, training=True, inplace=True)
z.sum().backward()
print(z is y, type(z.grad_fn).__name__, x.grad.tolist()[2:], 0.125 <= x.grad[0] <= 1 / 3)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda: F.elu(x * 1, -1.0, inplace=True).sum().backward())
attempt(lambda: F.leaky_relu(x * 1, -1.0, inplace=True).sum().backward())
attempt(lambda: F.rrelu(x * 1, -1.0, 0.5, inplace=True).sum().backward())
attempt(lambda: nn.ReLU(inplace=True)(x))
attempt(lambda: F.leaky_relu(torch.ones(1).expand(3), inplace=True))
attempt(lambda: F.threshold(torch.ones(1).expand(3), 2, 5, inplace=True))
attempt(lambda: F.gelu(x, approximate="other"))
attempt(lambda: F.softshrink(x, -1))
attempt(lambda: F.glu(torch.ones(3)))
attempt(lambda: F.glu(torch.tensor(1.0)))
attempt(lambda: F.hardtanh(x, 2, 1))
attempt(lambda: F.hardtanh(torch.ones(2, dtype=torch.uint8), -1, 1))
attempt(lambda: F.hardtanh(torch.arange(-3, 3), -1.5, 1.5))
attempt(lambda: F.celu(x, 0))
attempt(lambda: F.rrelu(x, 2, 1))
attempt(lambda: nn.Hardtanh(2, 1))
attempt(lambda: nn.Hardtanh(min_value=-2))
attempt(lambda: nn.Softmax2d()(x))
for dtype in (torch.int64, torch.bool, torch.complex64):
    for f in (F.gelu, F.silu, F.mish, F.elu, F.softplus, F.logsigmoid, F.hardswish, F.relu6, F.leaky_relu, F.threshold):
        t = torch.ones(2).to(dtype)
        attempt(lambda: (f(t, 0, 1) if f is F.threshold else f(t)).dtype)
