# expect: nonfinite zero-divided-by-zero keys
# check: nonfinite(keys)
import torch

torch.manual_seed(0)
keys = torch.randn(4, 3)
keys[2] = 0
keys.requires_grad_()
optimizer = torch.optim.SGD([keys], lr=0.1)
query = torch.randn(3)
for step in range(2):
    lengths = keys.pow(2).sum(1).sqrt()
    cosine = keys @ query / (lengths * query.norm())  # <- here
    loss = (1 - cosine).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
