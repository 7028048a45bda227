import torch

with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    print(x.grad)
    z = (x / 0).sum()
    print(z)
    z.backward()
    print(x.grad)
    w = (x * float("nan")).sum()
    try:
        w.backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
