import torch

x = torch.tensor([1.0, 2.0])
for f in (lambda: x.sum().backward(), lambda: x.backward(), lambda: x.sum().detach().backward()):
    try:
        f()
    except RuntimeError as e:
        print(type(e).__name__, e)
w = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda: w.argmax().backward(),
    lambda: (w > 1).sum().backward(),
    lambda: w.detach().sum().backward(),
    lambda: w.sum().long().backward(),
    lambda: w.backward(),
):
    try:
        f()
        print("ran", w.grad)
    except RuntimeError as e:
        print(type(e).__name__, e)
