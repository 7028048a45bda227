import torch

message = "Trying to backward through the graph a second time"
x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    torch.exp,
    torch.sum,
    torch.neg,
    lambda x: x + 1,
    lambda x: x * 2,
    lambda x: x.view(1, 2),
    torch.abs,
    lambda x: x / 2,
):
    y = f(x)
    z = y.sum()
    z.backward()
    try:
        z.backward()
        print(y.grad_fn.name(), "twice")
    except RuntimeError as e:
        print(y.grad_fn.name(), str(e).startswith(message))
y = x.exp()
y.sum().backward()
try:
    (y * 2).sum().backward()
except RuntimeError as e:
    print(e)
