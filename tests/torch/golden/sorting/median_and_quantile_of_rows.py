import torch

x = torch.tensor([[9.0, 1.0, 5.0], [2.0, 8.0, 4.0], [7.0, 3.0, 6.0]], requires_grad=True)
m = x.median(dim=1)
print(m.values, m.indices, x.median(), x.kthvalue(2, dim=1).values)
m.values.sum().backward()
print(x.grad)
x.grad = None
q = x.quantile(0.25, dim=0)
print(q)
q.sum().backward()
print(x.grad)
top, where = x.topk(2, dim=1)
print(top, where, x.gather(1, where))
print(x.sort(1).values.diff(dim=1), x.argsort(0)[:, 0], torch.sort(x.detach().flatten()).values)
order = x.sum(1).argsort(descending=True)
print(order, x[order])
