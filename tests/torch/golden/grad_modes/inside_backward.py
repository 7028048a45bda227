import torch

x = torch.tensor([3.0], requires_grad=True)
y = x * x
y.register_hook(lambda g: print("hook", torch.is_grad_enabled(), g))
y.backward(retain_graph=True)
x.grad = None
y.backward(create_graph=True)
print(x.grad)
with torch.no_grad():
    y = x * x
    with torch.enable_grad():
        z = x * x
        z.register_hook(lambda g: print("hook", torch.is_grad_enabled()))
    z.backward()
print(torch.is_grad_enabled())
