import torch

t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
a = t.numpy()
print(repr(a), a.flags.owndata, a.flags.writeable, a.strides)
a[0, 0] = 100
print(t, t._version)
t.add_(1)
print(a, t._version)
a += 1
print(t, t._version)
b = t.t().numpy()
print(b, b.strides, b.flags.c_contiguous)
c = t[:, 1].numpy()
c[:] = 0
print(t)
print(torch.tensor(3.0).numpy(), torch.tensor(3.0).numpy().shape, type(torch.tensor(3.0).numpy()).__name__)
print(torch.zeros(0, 3).numpy().shape, torch.tensor([True]).numpy().dtype)
