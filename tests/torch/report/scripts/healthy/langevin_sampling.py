# check: abs(samples.mean().item() - 2) < 0.5
import torch

torch.manual_seed(0)
x = torch.zeros(200, requires_grad=True)
samples = []
for step in range(60):
    energy = ((x - 2) ** 2 / 2).sum()
    (gradient,) = torch.autograd.grad(energy, x)
    x = (x - 0.1 * gradient + 0.2**0.5 * torch.randn(200)).detach().requires_grad_()
    if step > 40:
        samples.append(x.detach().clone())
samples = torch.stack(samples)
