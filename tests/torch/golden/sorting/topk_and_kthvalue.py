import torch

x = torch.tensor([[4.0, 1.0, 3.0, 2.0], [5.0, 8.0, 7.0, 6.0]])
print(
    x.topk(2), x.topk(1, largest=False), x.topk(1, dim=0), x.topk(0), x.kthvalue(2), x.kthvalue(1, dim=0, keepdim=True)
)
r = x.clone().requires_grad_()
y = r.topk(2)
print(y.values, y.values.grad_fn.name(), r.kthvalue(2).values.grad_fn.name())
y.values.sum().backward()
print(r.grad)
r.grad = None
r.kthvalue(3).values.sum().backward()
print(r.grad, torch.tensor(5.0).topk(1), torch.tensor([1, 3, 2]).topk(2, sorted=True))
for bad in (
    lambda: x.topk(5),
    lambda: x.topk(-1),
    lambda: x.kthvalue(0),
    lambda: x.kthvalue(5),
    lambda: x.topk(1, dim=2),
    lambda: torch.zeros(0).kthvalue(1),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
