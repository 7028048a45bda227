import torch
from torch.utils.checkpoint import checkpoint

seen = []


def f(x):
    noise = torch.rand(2)
    seen.append(noise)
    return x * noise


for use_reentrant in (True, False):
    for preserve in (True, False):
        seen.clear()
        torch.manual_seed(0)
        x = torch.ones(2, requires_grad=True)
        y = checkpoint(f, x, use_reentrant=use_reentrant, preserve_rng_state=preserve)
        (y * y).sum().backward()
        print(use_reentrant, preserve, len(seen), torch.equal(seen[0], seen[-1]))
