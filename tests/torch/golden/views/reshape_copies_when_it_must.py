import torch

x = torch.arange(12.0).reshape(3, 4)
print(x._is_view())
flat = x.reshape(-1)
flat[0] = 50
print(x[0, 0], flat._is_view())

t = x.t()
copy = t.reshape(12)
copy[1] = -50
print(copy._is_view(), x.min())
try:
    t.view(12)
except RuntimeError as e:
    print(e)
print(t.reshape(4, 3).data_ptr() == x.data_ptr())
print(x.flatten(0).data_ptr() == x.data_ptr(), t.flatten().data_ptr() == x.data_ptr())
print(t.contiguous().view(2, 6))
