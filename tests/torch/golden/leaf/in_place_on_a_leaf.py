import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda: w.add_(1),
    lambda: w.zero_(),
    lambda: w.__setitem__(0, 5.0),
    lambda: w.copy_(torch.zeros(2)),
    lambda: w[0].fill_(3.0),
    lambda: w.detach_(),
):
    try:
        print(f())
    except RuntimeError as e:
        print(type(e).__name__, e)
print(w, w._version)
w = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    w += 1
except RuntimeError as e:
    print(type(e).__name__, e)
w.data += 1
w.detach()[0] = 7
print(w, w._version)
