# expect: loss dtype-change-made-a-non-leaf weights
# check: not weights.is_leaf and weights.grad is None
import numpy as np
import torch

rng = np.random.default_rng(0)
features = torch.from_numpy(rng.normal(size=(40, 3))).float()
price = features @ torch.tensor([1.0, -2.0, 0.5]) + 0.1

start = np.zeros(3)
weights = torch.tensor(start, requires_grad=True).float()  # <- here

history = []
for i in range(25):
    loss = ((features @ weights - price) ** 2).mean()
    loss.backward()
    history.append(loss.item())
    if weights.grad is not None:
        weights.data -= 0.1 * weights.grad
        weights.grad.zero_()

print("first", history[0], "last", history[-1])
