# expect: error numpy-of-a-tensor-that-requires-grad fitted
# check: raised("Can't call numpy() on Tensor that requires grad")
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-2, 2, 40).unsqueeze(1)
y = x**3 - x
model = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()


def curve(model, x):
    fitted = model(x)
    return np.column_stack([x.numpy(), fitted.numpy()])  # <- here


points = curve(model, x)
print(points[:3])
