import torch

for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128):
    x = torch.ones(2, 3, dtype=dtype, requires_grad=True)
    y = x * 1
    z = y * y
    y.zero_()
    try:
        z.backward(torch.ones_like(z))
    except RuntimeError as e:
        print(str(e).split(" Hint")[0])
index = torch.tensor([0, 1])
x = torch.ones(3, requires_grad=True)
y = x[index]
index.add_(1)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e).split(" Hint")[0])
mask = torch.tensor([True, False, True])
y = x.masked_fill(mask, 0.0)
mask.logical_not_()
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e).split(" Hint")[0])
