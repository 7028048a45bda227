import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = (x * w).exp().sum()
print(y.grad_fn.name())
y.backward()
expected = torch.autograd.grad((x * w).exp().sum(), [x, w])
print(torch.equal(x.grad, expected[0]), torch.equal(w.grad, expected[1]))
with torch.autograd.graph.save_on_cpu(pin_memory=False):
    z = x**2
print(z.grad_fn._saved_self)
print(z.grad_fn._saved_self.data_ptr() == x.data_ptr())
torch.autograd.grad(z.sum(), x)
