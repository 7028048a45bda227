import torch

count = {"pack": 0, "unpack": 0}


def pack(x):
    count["pack"] += 1
    return x


def unpack(x):
    count["unpack"] += 1
    return x


x = torch.tensor(2.0, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x * x
    print(count)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    print(g, count)
    print(torch.autograd.grad(g, x), count)
