import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
out = torch.zeros(2)
torch.mul(x.detach(), 2, out=out)
print(out, out._version)
try:
    torch.mul(x, 2, out=out)
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    torch.mul(torch.ones(2), 2, out=x)
except RuntimeError as e:
    print(type(e).__name__, e)
with torch.no_grad():
    torch.mul(x, 3, out=out)
    torch.add(torch.ones(2), 1, out=x)
print(out, x, x._version)
s = torch.zeros(2)
s.set_(x.detach())
print(s, s.data_ptr() == x.data_ptr())
