import torch

x = torch.tensor([[1.0, -2.0], [3.0, -4.0]], requires_grad=True)
m = x < 0
print(x.masked_fill(m, 0.0), x.masked_select(m), torch.masked_select(x, torch.tensor([True, False])))
print(x.masked_scatter(m, torch.tensor([10.0, 20.0, 30.0])))
(x.masked_fill(m, 5.0) * 2).sum().backward()
print(x.grad)
x.grad = None
x.masked_select(m).prod().backward()
print(x.grad)
v = torch.tensor(7.0, requires_grad=True)
x.masked_fill(m, v).sum().backward()
print(v.grad)
for bad in (
    lambda: x.masked_fill(torch.tensor([0, 1]), 1.0),
    lambda: x.masked_fill(m, torch.ones(2)),
    lambda: x.masked_select(torch.tensor([True, False, True])),
    lambda: x.detach().masked_scatter_(m, torch.ones(1)),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
