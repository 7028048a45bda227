"""as_strided inside of vmap is a view of the memory of all examples."""

import torch
from torch.func import grad, vmap


def show(t):
    print(t.tolist(), t.stride(), t.storage_offset(), t._is_view(), t.grad_fn and type(t.grad_fn).__name__)


for f, in_dims in (
    (lambda x: x.as_strided((2,), (1,), 1), 0),
    (lambda x: x.as_strided((2,), (1,)), 0),
    (lambda x: torch.as_strided(x, (2, 2), (1, 1)), 0),
    (lambda x: x.as_strided((2, 2), (2, 1)), 1),
    (lambda x: x[1:].as_strided((1,), (1,)), 0),
    (lambda x: x.as_strided((), ()), 0),
    (lambda x: (x * 2).as_strided((2,), (1,), 1), 0),
):
    t = torch.arange(12.0).view(4, 3)
    y = vmap(f, in_dims=in_dims)(t)
    show(y)
    if y.unique().numel() == y.numel():  # no element twice
        y.add_(100)
    print(t.tolist())
    p = torch.arange(12.0).view(4, 3).requires_grad_()
    y = vmap(f, in_dims=in_dims)(p)
    show(y)
    y.sum().backward()
    print(p.grad.tolist())

t = torch.arange(6.0).view(2, 3)
show(vmap(lambda x: x.as_strided((2,), (1,)).add_(1))(t))
print(t.tolist())
print(vmap(grad(lambda x: x.as_strided((2,), (1,), 1).sin().sum()))(torch.zeros(2, 3)).tolist())
print(grad(lambda x: vmap(lambda x: x.as_strided((2,), (2,)))(x).sum())(torch.zeros(2, 3)).tolist())
for in_dims in (0, 1):
    show(vmap(vmap(lambda x: x.as_strided((2,), (1,))), in_dims=in_dims)(torch.arange(18.0).view(2, 3, 3)))
    show(vmap(vmap(lambda x: x.as_strided((2, 2), (0, 1)), in_dims=in_dims))(torch.arange(18.0).view(3, 2, 3)))

for sizes, strides, offset, shape in (
    ([3], [1], 1, (2, 3)),
    ([3], [1], None, (2,)),
    ([4, 4], [4, 1], 0, (2, 3, 5)),
    ([3], [1], 0, (5, 0, 3)),
    ([1, 1, 1], [1, 1], 0, (2, 3)),
    ([3], [1], 5, (2, 2, 3)),
):
    x = torch.zeros(shape)
    try:
        print(vmap(lambda x: x.as_strided(sizes, strides, offset))(x[1] if offset == 5 else x).tolist())
    except RuntimeError as error:
        print(error)
