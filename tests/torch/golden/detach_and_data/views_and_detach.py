import torch

base = torch.arange(4.0, requires_grad=True)
v = base[1:3]
d = v.detach()
print(v, v._is_view(), v._base is base)
print(d, d._is_view(), d._base is None, d.storage_offset(), d.stride())
e = base.detach()[1:3]
print(e, e.requires_grad, e._is_view(), e.storage_offset())
e.mul_(10)
print(base, base._version, v._version, d._version)
f = base.data[::2]
f.zero_()
print(base, base._version, f._version)
