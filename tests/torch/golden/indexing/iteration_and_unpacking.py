import torch

x = torch.arange(6.0, requires_grad=True).view(3, 2)
for row in x:
    print(row)
a, b, c = x
print(b, len(x), 4.0 in x, 9.0 in x)
print([v.item() for v in torch.arange(3)], list(torch.tensor([1, 2])), max(torch.tensor([3, 1])))
print(torch.stack(list(x)).grad_fn.name(), sum(torch.arange(4)))
first, *rest = torch.arange(4)
print(first, rest)
for bad in (
    lambda: list(torch.tensor(1)),
    lambda: len(torch.tensor(1)),
    lambda: torch.tensor(5)[0],
    lambda: [1, 2] in x,
):
    try:
        print(bad())
    except (TypeError, IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
p, q = torch.zeros(2, 2)
try:
    p, q = torch.zeros(3)
except ValueError as e:
    print(e)
