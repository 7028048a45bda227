import torch

x = torch.ones(2, requires_grad=True)
for change in (
    lambda: x.add_(1),
    lambda: x.__setitem__(0, 5.0),
    lambda: x[0].mul_(2),
    lambda: x.view(-1).zero_(),
    lambda: x.detach().mul_(2),
):
    try:
        change()
        print("fine", x)
    except RuntimeError as e:
        print(e)
try:
    x += 1
except RuntimeError as e:
    print(e)
with torch.no_grad():
    x += 1
print(x, x._version, x.is_leaf)
