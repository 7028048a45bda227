import torch

x = torch.zeros(2, 3, 4)
a = x[1]
b = a.permute(1, 0)
c = b[1:3, ::2]
for v in (a, b, c):
    print(tuple(v.shape), v.stride(), v.storage_offset(), v._base.shape)
c.fill_(7)
print(x)
print(x._version, a._version, b._version, c._version)
print(c.untyped_storage().nbytes(), c.storage_offset(), c.numel(), c.element_size())
