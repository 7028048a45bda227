import torch

nan, inf = float("nan"), float("inf")
print(torch.tensor([nan, 1.0, inf]))
print(torch.tensor([nan, 1.5, -inf]))
print(torch.tensor([inf, -inf]), torch.tensor(nan), torch.tensor([nan]))
print(torch.tensor([nan, 1e10, 1e-10]))
print(torch.tensor([1 + 2j, complex(nan, inf)]))
print(torch.tensor([[nan, 100.0], [-1.0, inf]], dtype=torch.float64))
