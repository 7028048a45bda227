import torch

x = torch.arange(6.0).view(2, 3)
y = x.t()
print(y, y.shape, y.stride(), y.is_contiguous())
y[0, 1] = 100
print(x)
print(y._is_view(), y._base is x, x._is_view())
print(x.data_ptr() == y.data_ptr())
print(x._version, y._version)

x += 1
print(y, x._version, y._version)
z = y.contiguous()
print(z.stride(), z._is_view(), z._version)
z[0, 0] = -1
print(x[0, 0])
