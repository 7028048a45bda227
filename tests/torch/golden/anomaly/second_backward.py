import torch

with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    z = (y * 2).sum()
    z.backward()
    try:
        z.backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
    try:
        (y * 2).backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
    try:
        y.detach().sum().backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
