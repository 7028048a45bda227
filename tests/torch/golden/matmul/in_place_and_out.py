import torch

m = torch.ones(2, 2)
a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(m.addmm_(a, a), m._version)
print(m.baddbmm_ is not None, m[0].addmv_(a, a[0]), m)
out = torch.empty(2, 2)
print(torch.mm(a, a, out=out) is out, out, out._version)
x = a.clone().requires_grad_()
y = x * 1
y.addmm_(x, a, alpha=2)
print(y)
y.sum().backward()
print(x.grad)
for bad in (
    lambda: m.addmm_(a, torch.ones(2, 3)),
    lambda: torch.mm(a, x, out=out),
    lambda: x.addmm_(a, a),
    lambda: torch.mm(a, a, out=torch.empty(2, 2).double()),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
