import torch

x = torch.tensor([1.0, 4.0, 9.0, 16.0, 30.0])
m = torch.arange(12.0).reshape(3, 4) ** 2
rows, columns = torch.tensor([0.0, 1.0, 3.0]), torch.tensor([0.0, 1.0, 2.0, 5.0])


def show(*args, **options):
    try:
        print(torch.gradient(*args, **options))
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, e)


show(x)
show(x, spacing=2.0)
show(m, dim=1)
show(m, dim=(0, 1), spacing=[2.0, 4.0])
show(m, spacing=(rows, columns))
show(m, spacing=(rows, columns), edge_order=2)
show(m, edge_order=2)
for options in ({"edge_order": 3}, {"dim": (0, 0)}, {"dim": 5}, {"spacing": [1.0]}, {"dim": 0, "spacing": [1.0, 2.0]}):
    show(m, **options)
show(m[:1])
show(x.int())
show(x.cfloat())
show(x.to(torch.uint8))
show("a")
show(x, spacing=(torch.tensor(2.0),))
show(x, spacing=(torch.ones(1, 5),))
show(m, spacing=[rows, 2.0])
print(torch.gradient(x.requires_grad_())[0].grad_fn.name())
torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 2.0, 4.0, 8.0]),), edge_order=2)[0].sum().backward()
print(x.grad)
