import torch

x = torch.arange(10)
s = x[3:8:2]
print(s, s.storage_offset(), s.stride())
print(s.tolist(), s.clone().storage_offset())
s[1] = 500
print(x)
e = x[10:]
print(e, e.shape, e.numel(), e.storage_offset())
m = x.view(2, 5)
print(m[:, 1:3].is_contiguous(), m[1:].is_contiguous(), m[:, :1].stride())
print(m[1, 2].storage_offset(), m[1, 2].dim(), m[1, 2]._is_view())
print(m.T.is_contiguous(), m.T.T.is_contiguous())
try:
    x[::-1]
except ValueError as e:
    print(e)
