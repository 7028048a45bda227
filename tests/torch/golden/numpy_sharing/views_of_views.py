import torch

x = torch.arange(6.0).view(2, 3)
a = x.numpy()
row = a[1]
y = torch.from_numpy(row)
print(y, y._is_view(), y._base, y.storage_offset())
y.fill_(7)
print(x, x._version, y._version)
z = torch.from_numpy(x[:, 1].numpy())
z.zero_()
print(x, a, z.stride())
print(y.data_ptr() == x[1].data_ptr(), x.data_ptr() == a.ctypes.data)
w = x.clone().requires_grad_()
(w * w).sum().backward()
w.grad.numpy()[0] = -1
print(w.grad)
