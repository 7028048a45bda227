import torch

x = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
print(x.norm(), x.norm(dim=1), x.norm(p=1), x.norm(p=float("inf")), x.norm(p=0), torch.norm(x, 2, 1, keepdim=True))
print(
    x.norm(p="fro"),
    torch.linalg.vector_norm(x, ord=1, dim=0),
    torch.linalg.norm(x),
    torch.linalg.norm(x, ord=1),
    x.norm(1, 0),
)
x.norm(dim=1).sum().backward()
print(x.grad)
for p in (0, 1, 2, 3, float("inf"), float("-inf")):
    z = torch.tensor([0.0, 0.0], requires_grad=True)
    z.norm(p=p).backward()
    print(p, z.norm(p=p).item(), z.grad)
print(
    torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 6.0])), torch.renorm(torch.tensor([[3.0, 4.0]]), 2, 0, 1.0)
)
for bad in (lambda: torch.tensor([1, 2]).norm(), lambda: x.norm(p="bad"), lambda: x.norm(dim=3)):
    try:
        print(bad())
    except (RuntimeError, IndexError, ValueError) as e:
        print(type(e).__name__, e)
