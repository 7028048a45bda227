# expect: doubled zero-grad-is-not-called mlp.0.weight, mlp.2.weight, mlp.4.weight
# check: doubled(*mlp.parameters())
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
mlp = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
opt = optim.Adam(mlp.parameters(), lr=3e-3)
grid = torch.rand(150, 2)
height = torch.sin(6 * grid[:, :1]) * torch.cos(6 * grid[:, 1:])


def closure_free_step(points, values):
    opt.zero_grad  # <- here
    loss = nn.functional.mse_loss(mlp(points), values)
    loss.backward()  # <- here
    opt.step()
    return loss.item()


for epoch in range(6):
    order = torch.randperm(len(grid))
    epoch_loss = sum(closure_free_step(grid[i], height[i]) for i in order.split(50))
    print(f"{epoch} {epoch_loss / 3:.4f}")
