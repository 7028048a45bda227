import torch

print(torch.linspace(0, 1, 5))
print(torch.linspace(-2, 2, steps=9))
print(torch.linspace(3, 1, 3, dtype=torch.float64))
print(torch.linspace(0, 10, 5, dtype=torch.int64))
print(torch.linspace(1, 1, 1), torch.linspace(0, 1, 0))
print(torch.logspace(0, 3, 4))
print(torch.logspace(0, 4, 5, base=2))
for bad in (lambda: torch.linspace(0, 1, -1), lambda: torch.linspace(0, 1), lambda: torch.linspace(0, 1, 2.5)):
    try:
        print(bad())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
print(torch.linspace(torch.tensor(0.0), torch.tensor(4.0), 3))
