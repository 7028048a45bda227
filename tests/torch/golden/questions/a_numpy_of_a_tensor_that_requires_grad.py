import numpy as np
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    x.numpy()
except RuntimeError as e:
    print(type(e).__name__, e)
for name, make in [
    ("detach", lambda: x.detach().numpy()),
    ("data", lambda: x.data.numpy()),
    ("force", lambda: x.numpy(force=True)),
    ("np.asarray of detach", lambda: np.asarray(x.detach())),
]:
    a = make()
    print(name, repr(a), type(a).__name__, a.dtype)
with torch.no_grad():
    try:
        print(x.numpy())
    except RuntimeError as e:
        print("no_grad:", e)
for convert in (np.asarray, np.exp, memoryview):
    try:
        print(convert(x))
    except (RuntimeError, TypeError) as e:
        print(convert.__name__, type(e).__name__, e)

a = x.detach().numpy()
b = x.data.numpy()
a[0] = 10
print(x, b)
with torch.no_grad():
    x[1] = 20
print(a, b)
b *= 2
print(x, a, x.requires_grad, x.is_leaf)
