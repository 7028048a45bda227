# What autograd sees of tensors that were made in inference mode.
import torch

with torch.inference_mode():
    x = torch.ones(2, 3)
    g = torch.ones(3).requires_grad_()
n = torch.ones(3, requires_grad=True)


def show(name, f):
    try:
        t = f()
    except RuntimeError as e:
        print(name, str(e)[:60])
        return
    try:
        version = t._version
    except RuntimeError:
        version = None
    node = None if t.grad_fn is None else t.grad_fn.name()
    print(name, t.is_inference(), version, t._is_view(), t.requires_grad, node)


show("detach", lambda: x.detach())
show("data", lambda: x.data)
show("written", lambda: x.data.mul_(2))
show("another dtype", lambda: x.view(torch.int32))
show("view", lambda: x.view(-1))
show("row", lambda: g[0])
show("g * g", lambda: g * g)
show("exp", lambda: g.exp())
show("g * 2", lambda: g * 2)
show("g ** 2", lambda: g**2)
show("g + n", lambda: g + n)
show("g * n", lambda: g * n)
show("cat", lambda: torch.cat([g, g]))
show("maximum", lambda: torch.maximum(g, g))
with torch.inference_mode():
    show("inside: detach", lambda: n.detach())
    show("inside: another dtype", lambda: n.view(torch.int32))
    show("inside: reshaped", lambda: torch.ones(2, 3).t().reshape(-1))
