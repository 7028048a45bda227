import torch

x = torch.arange(6.0, requires_grad=True)
a, b, c = x.split(2)
print([t.output_nr for t in (x, a, b, c)])
print(a.grad_fn is b.grad_fn, a.grad_fn.name())
y = b * 2 + c
mul = y.grad_fn.next_functions[0][0]
print(mul.next_functions[0][1], y.grad_fn.next_functions[1][1])
p, q = x.view(2, 3).unbind(1)[1:]
print(p.output_nr, q.output_nr, p.grad_fn.name())
values, indices = x.max(0)
print(values.output_nr, indices.output_nr, indices.grad_fn)
print((x * 2).output_nr, torch.ones(1).output_nr)
