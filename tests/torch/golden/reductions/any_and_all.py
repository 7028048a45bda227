import torch

x = torch.tensor([[True, False], [True, True]])
print(x.any(), x.all(), x.any(0), x.all(1), x.all(1, keepdim=True), torch.any(x, dim=(0, 1)))
print(
    torch.tensor([0.0, 2.0]).any(),
    torch.tensor([1, 2]).all(),
    torch.tensor([1, 0], dtype=torch.uint8).all(),
    torch.tensor([float("nan")]).all(),
)
print(torch.zeros(0).any(), torch.zeros(0).all(), torch.zeros(0, 2).all(0), bool(x.any()), (x == x.T).all())
print(
    torch.tensor([1.0, 0.0]).count_nonzero(), torch.allclose(torch.ones(2), torch.ones(2) + 1e-9), torch.equal(x, x.T)
)
print(torch.isclose(torch.tensor([1.0, float("nan")]), torch.tensor([1.0 + 1e-7, float("nan")]), equal_nan=True))
r = torch.ones(2, requires_grad=True)
print(r.any().requires_grad, (r > 0).all(), r.isnan().any())
for bad in (
    lambda: x.any(2),
    lambda: torch.allclose(torch.ones(2), torch.ones(2).double()),
    lambda: torch.allclose(torch.ones(2), torch.ones(3)),
    lambda: torch.equal(x, 1),
):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
