import torch

guard = torch.no_grad()
with guard:
    with guard:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
with torch.no_grad(), torch.enable_grad(), torch.no_grad():
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
torch.set_grad_enabled(False)
with torch.no_grad():
    pass
print(torch.is_grad_enabled())
with torch.enable_grad():
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
