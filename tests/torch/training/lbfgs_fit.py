"""A sum of two bells is fitted to noisy points with L-BFGS and its line search."""

# to 1e-4 of its value
# Its reason: a search stops where gradients are small, and rounding decides how small.

import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.linspace(-3, 3, 80)
y = 2 * torch.exp(-((x + 1) ** 2)) + torch.exp(-2 * (x - 1.5) ** 2) + 0.02 * torch.randn(80)
heights = torch.tensor([1.0, 0.5], requires_grad=True)
centers = torch.tensor([-0.5, 1.0], requires_grad=True)
widths = torch.tensor([0.5, 0.5], requires_grad=True)
optimizer = torch.optim.LBFGS([heights, centers, widths], lr=0.5, max_iter=2, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    bells = heights * torch.exp(-torch.exp(widths) * (x[:, None] - centers) ** 2)
    loss = ((bells.sum(1) - y) ** 2).mean()
    loss.backward()
    return loss


for _ in range(12):
    print(optimizer.step(closure).item())
print(closure().item(), *heights.tolist(), *centers.tolist(), *widths.tolist())
torch.set_default_dtype(torch.float32)
