# check: final < first
import torch

torch.manual_seed(0)
x = torch.linspace(0, 3, 60)
y = 2.0 * torch.exp(-1.3 * x) + 0.05 * torch.randn(60)
amplitude = torch.tensor(1.0, requires_grad=True)
rate = torch.tensor(0.5, requires_grad=True)
optimizer = torch.optim.LBFGS([amplitude, rate], lr=0.5, max_iter=10, line_search_fn="strong_wolfe")


def objective():
    return torch.mean((amplitude * torch.exp(-rate * x) - y) ** 2)


def closure():
    optimizer.zero_grad()
    loss = objective()
    loss.backward()
    return loss


first = objective().item()
for _ in range(5):
    optimizer.step(closure)
final = objective().item()
print(amplitude.item(), rate.item())
