import torch

h = torch.tensor([1.0, 0.1, 65504.0, 1e-8], dtype=torch.float16)
print(h, h * 2, h + 0.001)
b = torch.tensor([1.0, 0.1, 3.14159, 1e30], dtype=torch.bfloat16)
print(b, b * b, b + 0.001)
print(h.sum(), h.float().sum(), b.mean(), b.max())
print((h + b).dtype, (h + torch.ones(4)).dtype, (b * 1.5).dtype, (h @ h).dtype)
x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
y = (x * x).sum()
y.backward()
print(y, x.grad)
print(torch.tensor(1 / 3, dtype=torch.bfloat16).item(), torch.tensor(1 / 3, dtype=torch.float16).item())
print(torch.tensor([1.5, -2.5], dtype=torch.bfloat16).sqrt(), torch.exp(torch.tensor([1.0], dtype=torch.float16)))
