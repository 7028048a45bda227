# expect: error the-generator-of-parameters-is-used-up params, model
# check: raised("optimizer got an empty parameter list")
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
params = model.parameters()  # <- here
print("parameters:", sum(p.numel() for p in params))  # <- here
optimizer = torch.optim.Adam(params, lr=1e-3)  # <- here
x = torch.randn(16, 4)
for _ in range(3):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
