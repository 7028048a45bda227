import torch


def hooks(name):
    def pack(x):
        print("pack", name)
        return x

    def unpack(x):
        print("unpack", name)
        return x

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


x = torch.tensor([2.0], requires_grad=True)
with hooks("outer"):
    a = x.exp()
    with hooks("inner"):
        b = a.log()
    c = b.sin()
d = c.cos()
d.backward()
print(round(x.grad.item(), 4))
