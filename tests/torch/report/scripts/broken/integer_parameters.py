# expect: error integers-cannot-require-grad coefficients
# check: raised("Only Tensors of floating point and complex dtype can require gradients")
# fit a polynomial, starting from 1 + 2x + 3x²
import torch

x = torch.linspace(-1, 1, 21)
y = torch.exp(x)

coefficients = torch.tensor([1, 2, 3], requires_grad=True)  # <- here
optimizer = torch.optim.LBFGS([coefficients])


def closure():
    optimizer.zero_grad()
    powers = torch.stack([x**k for k in range(3)])
    loss = torch.mean((coefficients @ powers - y) ** 2)
    loss.backward()
    return loss


for _ in range(3):
    print(optimizer.step(closure).item())
