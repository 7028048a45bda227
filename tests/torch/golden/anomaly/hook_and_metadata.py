import torch

with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    print(sorted(y.grad_fn.metadata))
    print(type(y.grad_fn.metadata["traceback_"]).__name__)
    y.register_hook(lambda g: g * float("nan"))
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
print(x.grad)
print(sorted((x * 2).grad_fn.metadata))
