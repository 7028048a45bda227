import torch

for dtype in (torch.int64, torch.bool, torch.uint8):
    try:
        torch.ones(2, dtype=dtype).requires_grad_()
    except RuntimeError as e:
        print(e)
x = torch.tensor([1.5, 2.5], requires_grad=True)
i = torch.tensor([2, 3])
y = x * i
print(y, (x > 2), (x > 2).requires_grad, x.long().requires_grad, x.argmax())
y.sum().backward()
print(x.grad)
f = i.float()
f.requires_grad = True
(f * x).sum().backward()
print(f.grad, x.grad)
try:
    i.sum().backward()
except RuntimeError as e:
    print(e)
print(i.sum().dtype, i.prod().dtype, torch.tensor([True, True]).sum(), i.to(torch.uint8).sum().dtype)
try:
    i.mean()
except RuntimeError as e:
    print(e)
