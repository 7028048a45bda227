import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor(x)
print(y, y.requires_grad)
print(torch.tensor([torch.tensor(1.0), torch.tensor(2.0)]))
print(torch.tensor([x[0].item(), x[1].item()], requires_grad=True))
print(torch.as_tensor(x) is x)
print(x.clone().detach())
try:
    torch.tensor([torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])])
except ValueError as e:
    print(e)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)
