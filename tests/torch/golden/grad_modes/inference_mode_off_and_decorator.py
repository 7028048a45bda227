import torch


@torch.inference_mode()
def f(x):
    return x * 2


@torch.inference_mode
def g(x):
    return x * 2


x = torch.ones(2, requires_grad=True)
print(f(x), f(x).is_inference(), g(x).is_inference())
with torch.inference_mode(False):
    print(torch.is_inference_mode_enabled(), (x * 2).requires_grad)
with torch.inference_mode():
    with torch.inference_mode(False):
        y = x * 2
        print(y, y.is_inference())
    with torch.enable_grad():
        z = x * 2
        print(z.requires_grad, z.is_inference())
    v = x.view(1, 2)
    print(v.is_inference(), v.requires_grad)
    n = torch.ones(2)
    print(n.is_inference())
