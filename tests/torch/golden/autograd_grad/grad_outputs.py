import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
try:
    torch.autograd.grad(y, x)
except RuntimeError as e:
    print(type(e).__name__, e)
print(torch.autograd.grad(y, x, torch.tensor([1.0, 10.0]), retain_graph=True))
print(torch.autograd.grad([y, y.sum()], x, [torch.ones(2), None], retain_graph=True))
print(torch.autograd.grad([y, x * 3], [x], grad_outputs=[torch.ones(2), torch.ones(2)], retain_graph=True))
for grad_outputs in (torch.ones(3), [torch.ones(2), torch.ones(2)], (), torch.ones(2).double()):
    try:
        print(torch.autograd.grad(y, x, grad_outputs, retain_graph=True))
    except RuntimeError as e:
        print(type(e).__name__, e)
