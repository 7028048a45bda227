import torch

x = torch.ones(2, 3, requires_grad=True)
w = torch.ones(4, 2)
print("before", x.shape, w.shape)
y = x @ w
print("never")
