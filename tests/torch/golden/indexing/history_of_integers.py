# A tensor of integers gets a history from what is written into it, though not from copy_.
import torch


def show(title, write):
    x = torch.full((), -2.0, requires_grad=True)
    t = torch.tensor([[-4], [3]])
    try:
        write(x, t)
        print(title, t.tolist(), t.requires_grad, t.is_leaf, t.grad_fn and t.grad_fn.name())
    except RuntimeError as e:
        print(title, e)


show("mask", lambda x, t: t.__setitem__(t > 0, x))
show("mask, one element", lambda x, t: t.__setitem__(t > 0, x[None]))
show("mask, computed", lambda x, t: t.__setitem__(t > 0, x * 2))
show("row", lambda x, t: t.__setitem__(0, x))
show("list", lambda x, t: t.__setitem__(torch.tensor([0]), x))
show("masked_fill_", lambda x, t: t.masked_fill_(t > 0, x))
show("fill_", lambda x, t: t.fill_(x))
show("copy_", lambda x, t: t.copy_(x))
