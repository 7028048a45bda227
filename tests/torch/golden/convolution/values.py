"""Convolutions and their transposes, on small whole numbers."""

import torch
import torch.nn.functional as F


def some(*shape):
    n = torch.Size(shape).numel()
    return (torch.arange(n) * 7 % 5 - 2).float().reshape(shape)


def show(name, f, *xs):
    xs = [x.clone().requires_grad_() for x in xs]
    y = f(*xs)
    gs = torch.autograd.grad(y, xs, torch.ones_like(y), create_graph=True)
    seconds = torch.autograd.grad(sum((g * g).sum() for g in gs), xs, allow_unused=True)
    print(name, tuple(y.shape), y.sum().item(), y.flatten()[:6].tolist(), type(y.grad_fn).__name__)
    print("  ", [g.flatten()[:5].tolist() for g in gs], type(gs[0].grad_fn).__name__ if name.startswith("conv") else "")
    print("  ", [None if s is None else s.sum().item() for s in seconds])


show("conv1d", lambda x, w, b: F.conv1d(x, w, b, 2, 1), some(2, 4, 7), some(6, 4, 3), some(6))
show("conv1d of one example", lambda x, w: F.conv1d(x, w), some(4, 7), some(6, 4, 3))
show(
    "conv2d", lambda x, w, b: F.conv2d(x, w, b, (2, 1), (1, 2), (1, 2), 2), some(3, 4, 7, 8), some(6, 2, 3, 2), some(6)
)
show("same", lambda x, w, b: F.conv2d(x, w, b, padding="same"), some(1, 2, 5, 4), some(3, 2, 3, 3), some(3))
show("valid", lambda x, w: F.conv2d(x, w, padding="valid"), some(1, 2, 5, 4), some(3, 2, 2, 3))
show("depthwise", lambda x, w: F.conv2d(x, w, groups=4, padding=1), some(2, 4, 5, 4), some(4, 1, 3, 3))
show("conv3d", lambda x, w, b: F.conv3d(x, w, b, 2, 1), some(1, 2, 4, 5, 3), some(3, 2, 3, 2, 3), some(3))
show("transpose1d", lambda x, w, b: F.conv_transpose1d(x, w, b, 2, 1, 1, 2), some(2, 4, 5), some(4, 3, 3), some(6))
show(
    "transpose2d",
    lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1, 2, 2),
    some(2, 4, 4, 3),
    some(4, 3, 3, 2),
    some(6),
)
show("transpose3d", lambda x, w: F.conv_transpose3d(x, w, stride=2), some(1, 2, 2, 3, 2), some(2, 2, 2, 1, 3))
show("tbc", lambda x, w, b: torch.conv_tbc(x, w, b, 1), some(5, 2, 3), some(2, 3, 4), some(4))
bias = torch.convolution(some(1, 2, 4), some(2, 2, 2), some(2), [1], [0], [1], True, [0], 1)
print(bias, bias.shape)
for dtype in (torch.float64, torch.int64, torch.float16, torch.bfloat16, torch.complex64):
    y = F.conv2d(some(1, 2, 3, 3).to(dtype), some(2, 2, 2, 2).to(dtype), some(2).to(dtype))
    print(y.dtype, y.flatten().tolist())
y = F.conv2d(some(2, 4, 5, 6).contiguous(memory_format=torch.channels_last), some(3, 4, 2, 2))
print(y.stride(), y.is_contiguous(memory_format=torch.channels_last))
node = F.conv2d(some(1, 2, 3, 3).requires_grad_(), some(2, 2, 2, 2)).grad_fn
print(
    node.next_functions[1:], node._saved_stride, node._saved_padding, node._saved_transposed, node._saved_weight.shape
)
x, w = some(3, 1, 2, 4), some(3, 2, 2, 2)
print(torch.func.vmap(F.conv1d)(x, w).flatten().tolist())
print(torch.func.vmap(F.conv1d, (0, None))(x, w[0], bias=None).flatten().tolist())
print(torch.func.jvp(lambda w: F.conv1d(x[0], w), (w[0],), (w[1],))[1].flatten().tolist())
y = F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), padding="same")
print(y)
