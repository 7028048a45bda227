import torch

x = torch.ones(2, requires_grad=True)
for flag in (False, True):
    with torch.set_grad_enabled(flag):
        print(flag, torch.is_grad_enabled(), (x * 2).requires_grad)
torch.set_grad_enabled(False)
print(torch.is_grad_enabled(), x * 2)
with torch.set_grad_enabled(True):
    print(x * 2)
print(torch.is_grad_enabled())
torch.set_grad_enabled(True)
print(x * 2)
mode = torch.set_grad_enabled(False)
print(torch.is_grad_enabled())
with mode:
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
