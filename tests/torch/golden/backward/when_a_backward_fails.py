import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
for inputs in ([y], [x]):
    try:
        torch.ones(2).sum().backward(inputs=inputs)
    except RuntimeError as e:
        print(e)
print(y.retains_grad)
try:
    y.sum().backward(inputs=[torch.ones(2)])
except RuntimeError as e:
    print(e)

y.sum().backward(create_graph=True)
z = (x * 2).exp()
z.sum().backward()
try:
    z.sum().backward(create_graph=True)
except RuntimeError as e:
    print(str(e)[:60])

# The only output keeps its gradient although nothing that is wanted is reached.
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
y = a * 2
y.retain_grad()
y.register_hook(lambda g: print("hook", g))
print(torch.autograd.grad(y, b, torch.ones(2), allow_unused=True), y.grad)
y.grad = None
print(torch.autograd.grad((y, a * 3), b, (torch.ones(2),) * 2, allow_unused=True), y.grad)
y = torch.ones(2, 3).t().requires_grad_() * 1
y.retain_grad()
y.sum().backward()
print(y.grad.stride())
