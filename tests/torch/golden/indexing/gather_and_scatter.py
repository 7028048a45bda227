import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
i = torch.tensor([[0, 0], [1, 0]])
print(torch.gather(x, 1, i), x.gather(0, i))
x.gather(1, i).sum().backward()
print(x.grad)
z = torch.zeros(2, 3)
print(z.scatter(1, torch.tensor([[2], [0]]), 5.0))
print(z.scatter(1, i, x.detach()), z.scatter_add(1, i, torch.ones(2, 2)))
print(z.scatter_reduce(1, i, torch.tensor([[3.0, 4.0], [5.0, 6.0]]), reduce="amax", include_self=False))
print(z.scatter(0, torch.tensor([[0, 1, 1]]), torch.tensor([[1.0, 2.0, 3.0]])))
for bad in (
    lambda: x.gather(1, torch.tensor([[2]])),
    lambda: x.gather(1, torch.tensor([0])),
    lambda: x.gather(2, i),
    lambda: x.gather(1, i.float()),
    lambda: z.scatter(1, torch.tensor([[3]]), 1.0),
    lambda: z.scatter_(0, i, torch.ones(1, 1)),
):
    try:
        print(bad())
    except (IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
