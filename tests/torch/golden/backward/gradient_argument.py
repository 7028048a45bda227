import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
for gradient in (torch.ones(3), torch.tensor([1.0, 0.0, 0.0]), torch.zeros(3)):
    y.backward(gradient, retain_graph=True)
    print(x.grad)
    x.grad = None
for gradient in (torch.ones(3, 1), torch.ones(()), torch.ones(3).double(), torch.ones(3).long(), torch.ones(1, 3)):
    try:
        y.backward(gradient, retain_graph=True)
        print("taken", x.grad)
    except RuntimeError as e:
        print(type(e).__name__, e)
    x.grad = None
y.sum().backward(torch.tensor([[1.0]]).squeeze())
print(x.grad)
