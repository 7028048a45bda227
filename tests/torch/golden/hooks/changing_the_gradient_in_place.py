import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g.clamp(max=1.5))
(x * x).sum().backward()
print(x.grad)
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.register_hook(lambda g: g.mul_(2))
(w * w).sum().backward()
print(w.grad)
v = torch.tensor([1.0, 2.0], requires_grad=True)
kept = []
v.register_hook(kept.append)
(v * v).sum().backward()
(v * 5).sum().backward()
print(kept, v.grad)
