import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = x * w
print(y.grad_fn._saved_self, y.grad_fn._saved_other)
print(y.grad_fn._saved_self is x, y.grad_fn._saved_self.data_ptr() == x.data_ptr())
e = x.exp()
print(e.grad_fn._saved_result, e.grad_fn._saved_result is e)
p = x**3
print(p.grad_fn._saved_exponent, p.grad_fn._saved_self)
s = x.sum()
print(s.grad_fn._saved_self_sym_sizes)
print(x.view(2, 1).grad_fn._saved_self_sym_sizes, x[1].grad_fn._saved_dim, x[1].grad_fn._saved_index)
y.sum().backward()
for f in (lambda: y.grad_fn._saved_self, lambda: y.grad_fn._saved_nothing):
    try:
        f()
    except (RuntimeError, AttributeError) as error:
        print(type(error).__name__, error)
