import torch

x = torch.tensor([1.0, 2.0])
out = torch.empty(2)
r = torch.add(x, 1, out=out)
print(out, r is out, out._version)
torch.mul(x, x, out=x)
print(x)
small = torch.empty(0)
torch.exp(torch.zeros(3), out=small)
print(small)
wrong = torch.ones(5)
torch.sub(torch.zeros(2), 1, out=wrong)
print(wrong)
for f in (
    lambda: torch.add(x, 1, out=torch.empty(2, dtype=torch.int64)),
    lambda: torch.add(x.clone().requires_grad_(), 1, out=out),
    lambda: torch.add(x, 1, out=torch.empty(2, requires_grad=True)),
    lambda: torch.sum(torch.ones(2, 2), dim=0, out=torch.empty(2, dtype=torch.float64)),
):
    try:
        print(f())
    except RuntimeError as e:
        print(e)
