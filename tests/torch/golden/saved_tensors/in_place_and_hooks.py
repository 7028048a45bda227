import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    y = x.exp()
    a = x * 1
    z = a * a
y.add_(1)
y.sum().backward()
print(x.grad)
x.grad = None
a.zero_()
z.sum().backward()
print(x.grad)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
    try:
        a = x * 1
        b = a * a
        print(a, b)
    except RuntimeError as e:
        print(type(e).__name__, e)
