import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
z = y * y
x.register_hook(lambda g: print("x", g))
y.register_hook(lambda g: print("y", g))
z.register_hook(lambda g: print("z", g))
z.grad_fn.register_hook(lambda gi, go: print("z node", gi, go))
y.grad_fn.register_hook(lambda gi, go: print("y node", gi, go))
print(torch.autograd.grad(z, y, retain_graph=True))
print(torch.autograd.grad(z, x, retain_graph=True))
z.backward(inputs=[y], retain_graph=True)
print(y.grad, x.grad)
z.backward()
print(x.grad)
