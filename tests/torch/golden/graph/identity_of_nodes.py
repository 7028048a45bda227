import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
print(y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn, y.grad_fn is (x * 2).grad_fn)
z = y + 1
print(z.grad_fn.next_functions[0][0] is y.grad_fn)
print(type(y.grad_fn).__name__, y.grad_fn.name(), str(y.grad_fn)[:22])
y.grad_fn.metadata["note"] = "mine"
print(y.grad_fn.metadata, z.grad_fn.metadata)
print(isinstance(y.grad_fn, torch.autograd.graph.Node))
before = y.grad_fn
y.mul_(3)
print(y.grad_fn is before, y.grad_fn.next_functions[0][0] is before)
try:
    y.grad_fn = None
except (AttributeError, RuntimeError) as e:
    print(type(e).__name__, e)
