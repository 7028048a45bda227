# expect: error leaf-changed-in-place weights
# check: raised("a leaf Variable that requires grad is being used in an in-place operation")
import numpy as np
import torch

np.random.seed(0)
A = torch.tensor(np.random.randn(20, 4), dtype=torch.float32)
target = A @ torch.tensor([1.0, 2.0, 3.0, 4.0])
weights = torch.zeros(4, requires_grad=True)
eta = 0.05

for i in range(10):
    residual = A @ weights - target
    loss = residual.dot(residual) / len(A)
    loss.backward()
    weights -= eta * weights.grad  # <- here
    weights.grad.zero_()
    print(i, loss.item())
