import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
print(y.grad_fn._saved_self, y.grad_fn._raw_saved_self is not None)
y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 100, lambda t: t / 10)
print(y.grad_fn._saved_self)
y.sum().backward()
print(x.grad)
z = x**2
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    w = x**2
try:
    w.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    z.grad_fn._raw_saved_self.register_hooks(lambda t: None, lambda t: 3)
    z.sum().backward()
except (RuntimeError, TypeError) as e:
    print(type(e).__name__, e)
