# Batch and instance normalization: values, gradients, running statistics, options, errors.
import torch
from torch import nn
from torch.nn import functional as F


def rounded(t):
    return [round(v, 3) + 0.0 for v in t.flatten().tolist()]


def names(node):
    return type(node).__name__, ["-" if n is None else type(n).__name__ for n, _ in node.next_functions]


x = torch.tensor([[1.0, 2.0, 4.0], [3.0, -2.0, 0.0], [5.0, 6.0, 8.0], [7.0, 2.0, 1.0]], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0])
for options in (
    {},
    {"affine": False},
    {"bias": False},
    {"momentum": None},
    {"momentum": 0.5},
    {"track_running_stats": False},
):
    layer = nn.BatchNorm1d(3, **options)
    y = layer(x)
    (g,) = torch.autograd.grad((y * y * w).sum() + y[0, 0], x, create_graph=True)
    print(layer, names(y.grad_fn))
    print("  ", rounded(y), rounded(g), names(g.grad_fn)[0])
    print("  ", rounded(torch.autograd.grad(g[0].sum(), x)[0]))
    for _ in range(2):
        layer(x + 1)
    print("  ", {n: rounded(b) for n, b in layer.named_buffers() if b is not None}, list(layer.state_dict()))
    print("  ", rounded(layer.eval()(x)), {n: round(p.sum().item(), 3) for n, p in layer.named_parameters()})
layer = nn.BatchNorm2d(2)
y = layer(torch.arange(16.0).view(2, 2, 2, 2))
nn.ReLU(inplace=True)(y).sum().backward()
print(rounded(y), rounded(layer.weight.grad), layer.bias.grad, layer.running_var)
old = {"weight": torch.ones(2), "bias": torch.zeros(2), "running_mean": torch.zeros(2), "running_var": torch.ones(2)}
print(nn.BatchNorm2d(2).load_state_dict(old))
layer.reset_running_stats()
print(layer.num_batches_tracked, nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(layer)))
lazy = nn.LazyBatchNorm1d(affine=True)
print(lazy, lazy.state_dict())
lazy(x)
print(lazy, type(lazy).__name__, {n: tuple(t.shape) for n, t in lazy.state_dict().items()})

z = torch.arange(12.0).view(2, 2, 3).requires_grad_()
for layer in (nn.InstanceNorm1d(2), nn.InstanceNorm1d(2, affine=True, track_running_stats=True)):
    y = layer(z)
    (y * y * y).sum().backward()
    print(layer, rounded(y), names(y.grad_fn), {n: rounded(b) for n, b in layer.named_buffers() if b is not None})
    print("  ", rounded(layer.eval()(z[0])))
    z.grad = None


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


zeros, ones = torch.zeros(3), torch.ones(3)
attempt(lambda: nn.BatchNorm1d(3)(z[0, 0]))
attempt(lambda: nn.BatchNorm2d(3)(x))
attempt(lambda: nn.BatchNorm1d(3)(x[:1]))
attempt(lambda: nn.BatchNorm1d(2)(x))
attempt(lambda: F.batch_norm(x, zeros, ones, ones[:2]))
attempt(lambda: F.batch_norm(x, zeros, ones, ones, ones[:2]))
attempt(lambda: F.batch_norm(x, None, ones))
attempt(lambda: F.batch_norm(x, zeros, None, training=True))
attempt(lambda: F.batch_norm(x, zeros, ones, training=True, eps=0.0))
attempt(lambda: F.batch_norm(x, zeros, ones, eps=-1.0))
attempt(lambda: F.batch_norm(x, zeros.clone().requires_grad_(), ones))
attempt(lambda: F.batch_norm(x.double(), zeros, ones, training=True))
attempt(lambda: F.batch_norm(x, zeros.double(), ones, training=True))
attempt(lambda: F.batch_norm(x, zeros, ones, ones, ones.double()))
attempt(lambda: F.batch_norm(x.long(), zeros, ones))
attempt(lambda: F.batch_norm(x.detach().half(), zeros, ones, ones, ones).dtype)
attempt(lambda: F.batch_norm(torch.ones(0, 3), zeros, ones, ones, training=True))
attempt(lambda: nn.InstanceNorm1d(2)(torch.ones(1, 2, 1)))
attempt(lambda: nn.InstanceNorm1d(3, affine=True)(z))
attempt(lambda: nn.InstanceNorm1d(3)(z).shape)
attempt(lambda: nn.InstanceNorm2d(3)(x))
attempt(lambda: F.instance_norm(z, use_input_stats=False))
attempt(lambda: nn.SyncBatchNorm(3)(torch.ones(3)))
attempt(lambda: torch.func.vmap(lambda x: F.batch_norm(x, zeros, ones, training=True))(torch.ones(2, 4, 3)))
attempt(lambda: torch.batch_norm_update_stats(torch.ones(0, 1), None, None, 0.5))
mean, var = torch.batch_norm_update_stats(x.detach(), zeros, ones, 0.5)
print(mean, var, zeros, ones)
out, mean, rstd = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)
print(rounded(out), mean, rounded(rstd), mean.requires_grad)
print([t.shape for t in torch.native_batch_norm(x, None, None, zeros, ones, False, 0.1, 0.1)])
for d in (torch.float16, torch.float32):  # the statistics have the dtype of parameters
    w = torch.ones(2, dtype=d)
    for given in ((None,) * 4, (w, None, None, None), (None, w, None, None), (None, None, w.clone(), w.clone())):
        print([t.dtype for t in torch.native_batch_norm(torch.eye(2).half(), *given, True, 0.1, 1e-5)])
