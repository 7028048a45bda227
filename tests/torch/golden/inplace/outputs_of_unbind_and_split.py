import torch

x = torch.arange(6.0, requires_grad=True)
for name, f in {
    "unbind": lambda t: t.unbind()[0],
    "split": lambda t: t.split(2)[0],
    "chunk": lambda t: t.chunk(2)[1],
    "tensor_split": lambda t: t.tensor_split(2)[0],
    "select": lambda t: t[0],
}.items():
    y = x * 1
    part = f(y)
    try:
        part.mul_(2)
        print(name, "fine", part)
    except RuntimeError as e:
        print(name, e)
plain = torch.arange(4.0)
first, second = plain.split(2)
first.mul_(10)
print(plain)
