import torch

x = torch.arange(9.0).view(3, 3).requires_grad_()
d = x.diagonal()
print(d, d.stride(), d.storage_offset())
print(x.diagonal(1), x.diagonal(-2), x.diagonal(5))
d.sum().backward()
print(x.grad)

w = torch.arange(7.0).unfold(0, 3, 2)
print(w, w.stride())
print(torch.arange(12.0).view(3, 4).unfold(1, 2, 2).shape)
m = torch.zeros(3, 3)
m.diagonal().copy_(torch.tensor([1.0, 2.0, 3.0]))
m.diagonal(1).fill_(9)
print(m)
try:
    torch.arange(2.0).unfold(0, 3, 1)
except RuntimeError as e:
    print(e)
