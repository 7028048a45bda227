import torch

torch.manual_seed(1)
print(torch.rand(5))
print(torch.rand(2, 3), torch.rand(()), torch.rand(0))
print(torch.rand(3, dtype=torch.float64))
print(torch.rand_like(torch.zeros(2, 2)), torch.rand(2, requires_grad=True))
print(torch.empty(3).uniform_(-1, 1), torch.zeros(2, dtype=torch.float64).uniform_(2, 3))
print(torch.rand(3, dtype=torch.float16), torch.rand(20).mean(), torch.rand(2, dtype=torch.complex64))
for bad in (
    lambda: torch.rand(2, dtype=torch.int64),
    lambda: torch.empty(2).uniform_(1, 0),
    lambda: torch.rand(-1),
    lambda: torch.rand_like(torch.tensor([1])),
):
    try:
        print(bad())
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
print(torch.rand(17))
