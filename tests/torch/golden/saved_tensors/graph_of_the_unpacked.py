import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
z = y * y
saved = z.grad_fn._saved_self
print(saved, saved.grad_fn is y.grad_fn, saved is y, saved.data_ptr() == y.data_ptr())
e = y.exp()
saved = e.grad_fn._saved_result
print(saved, saved is e, saved.grad_fn is e.grad_fn)
print(z.grad_fn._saved_self._version)
p = torch.stack([x, y])
print([name for name in dir(p.grad_fn) if name.startswith("_saved")])
print([name for name in dir(z.grad_fn) if name.startswith(("_saved", "_raw"))])
