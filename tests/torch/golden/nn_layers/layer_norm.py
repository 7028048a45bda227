# Normalization of layers, groups, by the root mean square, and of neighbouring channels.
import torch
from torch import nn
from torch.nn import functional as F


def rounded(t):
    return [round(v, 3) + 0.0 for v in t.flatten().tolist()]


x = torch.tensor([[[1.0, 2.0, 4.0], [3.0, -2.0, 0.0]], [[5.0, 6.0, 8.0], [7.0, 2.0, 1.0]]], requires_grad=True)
layers = [
    nn.LayerNorm(3), nn.LayerNorm((2, 3), eps=0.1), nn.LayerNorm([3], bias=False),
    nn.LayerNorm(3, elementwise_affine=False),
    nn.GroupNorm(1, 2), nn.GroupNorm(2, 2, affine=False), nn.GroupNorm(2, 2, bias=False), nn.RMSNorm(3),
    nn.RMSNorm([2, 3], eps=0.5, elementwise_affine=False),
]  # fmt: skip
for layer in layers:
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.arange(1.0, p.numel() + 1).view(p.shape))
    y = layer(x)
    loss = (y * y * torch.tensor([1.0, 2.0, -1.0])).sum()
    grads = torch.autograd.grad(loss, [x, *layer.parameters()], create_graph=True)
    print(layer, list(layer.state_dict()), type(y.grad_fn).__name__, len(y.grad_fn.next_functions))
    print("  ", rounded(y), [rounded(g) for g in grads])
    print("  ", rounded(torch.autograd.grad(grads[0][0].sum() + grads[0][1, 0, 0] * 2, x)[0]))
y = F.layer_norm(x, (3,), torch.ones(3, requires_grad=True))
(g,) = torch.autograd.grad(y, x, torch.ones_like(y).requires_grad_(), create_graph=True)
print(type(g.grad_fn).__name__, y.grad_fn._saved_normalized_shape, F.group_norm(x, 2).grad_fn._saved_group)
out, mean, rstd = torch.native_layer_norm(x, (3,), None, None, 0.0)
print(rounded(mean), mean.shape, rounded(rstd), mean.requires_grad)
print([t.shape for t in torch.native_group_norm(x.detach(), None, None, 2, 2, 3, 1, 0.1)])
for dtype in (torch.float16, torch.bfloat16, torch.float64):
    t = x.detach().to(dtype)
    print(
        F.layer_norm(t, (3,)).dtype,
        F.group_norm(t, 2).dtype,
        F.rms_norm(t, (3,)).dtype,
        F.batch_norm(t, None, None, training=True).dtype,
    )
lrn = nn.CrossMapLRN2d(3, alpha=0.5)
z = torch.arange(8.0).view(1, 4, 2, 1).requires_grad_()
y = lrn(z)
y.sum().backward()
print(lrn, rounded(y), rounded(z.grad), nn.LocalResponseNorm(2))
print(F.local_response_norm(torch.ones(0, 2, 3), 2).shape)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


ones = torch.ones(3)
attempt(lambda: F.layer_norm(x, (2,)))
attempt(lambda: F.layer_norm(x, ()))
attempt(lambda: F.layer_norm(x, 3))
attempt(lambda: F.layer_norm(x, (3,), ones[:2]))
attempt(lambda: F.layer_norm(x, (3,), ones, ones[:2]))
attempt(lambda: F.layer_norm(x.long(), (3,)))
attempt(lambda: F.layer_norm(x, (3,), ones.double()))
attempt(lambda: F.group_norm(x, 3))
attempt(lambda: F.group_norm(ones, 3))
attempt(lambda: F.group_norm(x, 2, ones))
attempt(lambda: torch.group_norm(x, -1))
attempt(lambda: F.group_norm(torch.ones(1, 2), 2))
attempt(lambda: nn.GroupNorm(2, 3))
attempt(lambda: F.rms_norm(x, (2,)))
attempt(lambda: F.rms_norm(x.long(), (3,)))
attempt(lambda: F.local_response_norm(ones, 2))
attempt(lambda: nn.CrossMapLRN2d(2)(ones))
