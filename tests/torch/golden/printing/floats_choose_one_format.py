import torch

print(torch.tensor([1.0, 2.0, 3.0]))
print(torch.tensor([1.5, 2.25, 1000.0]))
print(torch.tensor([1.0, 1e5]), torch.tensor([1.0, 1e8]), torch.tensor([1.0, 1e9]))
print(torch.tensor([0.1, 123456.789]), torch.tensor([1e-5, 1.0]), torch.tensor([1e-3, 1e-2]))
print(torch.tensor([1e-10]), torch.tensor([123456789.0]), torch.tensor([16777216.0]))
print(torch.tensor([0.0, -0.0]), torch.tensor([-1.0, 10.0]))
print(torch.tensor(3.0), torch.tensor(0.1), torch.tensor(1e-7), torch.tensor(123456.7))
print(torch.tensor([0.1, 0.2], dtype=torch.float64), torch.tensor(1 / 3, dtype=torch.float64))
print(torch.tensor([1e10, 1e-10]), torch.tensor([1.0, 1e-4, 1e4]))
print([torch.tensor(1.0), torch.tensor([2])], {"a": torch.tensor([1.0])})
