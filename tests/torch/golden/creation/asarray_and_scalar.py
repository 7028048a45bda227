import numpy as np
import torch

a = np.ones(2)
t = torch.asarray(a)
t[0] = 5
print(a, t)
c = torch.asarray(a, copy=True)
c[0] = -1
print(a)
print(torch.asarray([1, 2], dtype=torch.float16))
print(torch.asarray(t, dtype=torch.float32).dtype, torch.asarray(t) is t)
print(torch.asarray(1.0, requires_grad=True), torch.asarray([t[0], t[1]]))
print(torch.scalar_tensor(3), torch.scalar_tensor(3, dtype=torch.int64))
print(torch.complex(torch.tensor([1.0]), torch.tensor([2.0])), torch.polar(torch.tensor([2.0]), torch.tensor([0.0])))
try:
    torch.asarray(a, dtype=torch.int64, copy=False)
except ValueError as e:
    print(e)
print(torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])))
print(torch.combinations(torch.tensor([1, 2, 3])))
