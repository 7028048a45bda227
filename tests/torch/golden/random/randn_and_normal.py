import torch

torch.manual_seed(2)
print(torch.randn(3))
print(torch.randn(16))
print(torch.randn(4, 5))
print(torch.randn(3, dtype=torch.float64), torch.randn(17, dtype=torch.float64)[-3:])
print(torch.randn_like(torch.zeros(2)), torch.randn(()), torch.randn(2, dtype=torch.complex64))
print(
    torch.normal(0.0, torch.tensor([1.0, 10.0])),
    torch.normal(torch.tensor([5.0, 6.0]), 0.1),
    torch.normal(2.0, 3.0, (2,)),
    torch.normal(torch.zeros(2), torch.ones(2)),
)
print(
    torch.empty(3).normal_(10, 0.5),
    torch.empty(20).normal_()[:4],
    torch.randn(2, requires_grad=True),
)
for bad in (
    lambda: torch.randn(2, dtype=torch.int64),
    lambda: torch.normal(0.0, torch.tensor([-1.0])),
    lambda: torch.empty(2).normal_(0, -1),
):
    try:
        print(bad())
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
