import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
print(torch.autograd.grad(outputs=y, inputs=x, grad_outputs=torch.tensor(3.0), retain_graph=True))
print(torch.autograd.grad(y, x, only_inputs=True, retain_graph=True))
print(torch.autograd.grad(y, x, only_inputs=False, retain_graph=True))
print(torch.autograd.grad(y, x, None, True))
print(torch.autograd.grad(y, x, None, None, True))
