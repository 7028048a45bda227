import torch


def bytes_saved(f, *args):
    total = 0

    def pack(t):
        nonlocal total
        total += t.numel() * t.element_size()
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(*args)
    return total


x = torch.ones(10, requires_grad=True)
d = torch.ones(10, dtype=torch.float64, requires_grad=True)
for f in (
    torch.sin,
    torch.exp,
    torch.relu,
    torch.neg,
    torch.sum,
    torch.mean,
    lambda t: t * t,
    lambda t: t.sin().cos().exp(),
):
    print(bytes_saved(f, x), bytes_saved(f, d))
with torch.no_grad():
    print(bytes_saved(torch.sin, x))
print(bytes_saved(torch.sin, x.detach()))
