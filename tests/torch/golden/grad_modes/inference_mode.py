import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.inference_mode():
    y = x * 2
    print(torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y.is_inference(), x.is_inference())
    y.add_(1)
    print(y, y.requires_grad)
    try:
        print(y._version)
    except RuntimeError as e:
        print(type(e).__name__, e)
print(torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y)
for f in (lambda: y.add_(1), lambda: y.requires_grad_(), lambda: x * y, lambda: y.view(2, 1), lambda: y + 1):
    try:
        print(f())
    except RuntimeError as e:
        print(type(e).__name__, e)
print((x * y.clone()).requires_grad, y.clone().is_inference())
