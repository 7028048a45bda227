import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
with torch.no_grad():
    views = {"slice": x[1:], "reshape": x.reshape(3, 1), "of a result": h[1:], "product": x * 1}
for name, v in views.items():
    print(name, v.requires_grad, v.is_leaf, v.grad_fn)
    r = v * v
    print(r.grad_fn and (r.grad_fn.name(), r.grad_fn.next_functions))
    if r.requires_grad:
        r.sum().backward()
    print(v.grad, x.grad)
v = views["slice"].requires_grad_()
(v * 3).sum().backward()
print(v.grad, x.grad)
y = torch.ones(3, requires_grad=True)
print((y // x[:3].detach()).grad_fn.next_functions[0][0].name(), (x.detach() // y).grad_fn.next_functions[0][0].name())
print(len((x.detach() // y).grad_fn.next_functions), len(torch.heaviside(x.detach(), y).grad_fn.next_functions))
