import torch

x = torch.tensor(0.0, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x**1.5
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    print(g)
    (h,) = torch.autograd.grad(g, x, create_graph=True)
    print(h)
    y = (x * x).sqrt()
    try:
        torch.autograd.grad(y, x, create_graph=True)
    except RuntimeError as e:
        print(type(e).__name__, e)
