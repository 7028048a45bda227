import torch


@torch.no_grad()
def f(x):
    return x * 2, torch.is_grad_enabled()


@torch.no_grad
def g(x):
    return x * 3


@torch.enable_grad()
def h(x):
    return x * 4


x = torch.ones(1, requires_grad=True)
print(f(x), f.__name__)
print(g(x), g.__name__)
with torch.no_grad():
    print(h(x), x * 4)
print(torch.is_grad_enabled())


@torch.set_grad_enabled(False)
def k(x):
    return x * 5


print(torch.is_grad_enabled())
print(k(x), x * 5)
print(torch.no_grad()(lambda: torch.is_grad_enabled())())
