import numpy as np
import torch

x = torch.ones(2, requires_grad=True)
try:
    x.numpy()
except RuntimeError as e:
    print(e)
print(x.detach().numpy(), x.numpy(force=True))
try:
    np.asarray(x)
except RuntimeError as e:
    print(e)
print(np.asarray(x.detach()), np.add.reduce(x.detach().numpy()), x.detach().numpy().dtype)
print((torch.ones(2) * np.float64(2.0)).dtype)
try:
    torch.ones(2, dtype=torch.bfloat16).numpy()
except TypeError as e:
    print(e)
try:
    torch.tensor([1 + 1j]).conj().numpy()
except RuntimeError as e:
    print(e)
