import torch

p = torch.tensor([1.0, 2.0])
g = torch.tensor([0.5, -1.0])
m = torch.zeros(2)
v = torch.zeros(2)
for step in range(3):
    m.lerp_(g, 0.1)
    v.mul_(0.99).addcmul_(g, g, value=0.01)
    p.addcdiv_(m, v.sqrt().add_(1e-3), value=-0.1)
    print(step, p, m, v)
print(p._version, m._version, v._version)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
y.addcmul_(x, x, value=2)
y.lerp_(torch.zeros(2), 0.25)
print(y)
y.sum().backward()
print(x.grad)
