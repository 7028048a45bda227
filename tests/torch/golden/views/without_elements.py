# Tensors without elements have strides and offsets all the same.
import numpy as np
import torch


def show(name, *tensors):
    print(name, *[(tuple(t.shape), t.stride(), t.storage_offset()) for t in tensors])


x = torch.zeros(2, 3)
show("split", *x.tensor_split((0, 1, 5)), *x[:, :2].tensor_split(3, 1))
show("slices", x[2:], x[5:], x[:, 3:], x[0:0], x[1:, 1:1], x[::2][1:1])
empty = torch.zeros(2, 0, 3)
show("of none", empty, empty[1:], empty[..., ::2], empty[-1], empty.transpose(0, 2), empty.mT.clone())
show("unbound", *torch.zeros(0, 2).unbind(1), *torch.zeros(0, 3).chunk(2, 1))
show("strided", x.as_strided((0, 2), (5, 7), 4), x.new_zeros(0).as_strided((0,), (3,)))
for a in (np.zeros((0, 2)), np.array([])):
    t = torch.from_numpy(a)
    show("numpy", t, t[:], t.detach(), t.clone(), t.unsqueeze(0))
show("where", *torch.where(x == 0), *torch.where(x > 0), x.nonzero(), *torch.tensor(1).nonzero(as_tuple=True))
a, b = torch.where(x == 0)
print(a._is_view(), a._base is b._base, a._base.stride())
show("0-d expanded", torch.tensor(1.0).expand(1), torch.tensor(1.0).expand(3, 1))
for a in (np.zeros((2, 0)), np.zeros((2, 2, 2))[::2], np.zeros((2, 2)).T):
    print(torch.tensor(a).stride(), torch.tensor(a, dtype=torch.float32).stride())
print(torch.zeros(0, 3).numpy().strides, torch.fft.fft(torch.ones(1, 2, 2), dim=0).stride())
t = torch.from_numpy(np.zeros((2, 3, 3))[::2])
print(t.stride(), t.view_as(t).stride(), t.reshape(1, 9).stride(), t.clone().stride())
