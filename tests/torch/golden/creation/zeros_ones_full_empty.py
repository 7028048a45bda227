import torch

print(torch.zeros(2, 3))
print(torch.zeros((2, 1)), torch.zeros([2]), torch.zeros(()))
print(torch.ones(2, dtype=torch.int32), torch.ones(1, 2, dtype=torch.bool))
print(torch.full((2, 2), 7), torch.full((2,), 1.5), torch.full((2,), True), torch.full((1,), 1j))
print(torch.full((2,), 3, dtype=torch.float64))
print(torch.full((), 5.0, requires_grad=True))
e = torch.empty(2, 3, 4)
print(e.shape, e.stride(), e.dtype)
print(torch.empty_strided((2, 3), (1, 2)).stride())
print(torch.zeros(0, 3), torch.zeros(torch.Size([1, 2])))
for bad in (lambda: torch.zeros(-1), lambda: torch.zeros(2.5), lambda: torch.full((2,)), lambda: torch.zeros("a")):
    try:
        print(bad())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
