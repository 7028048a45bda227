import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
w = torch.tensor([0.0, 0.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = (x.sqrt() * w).sum()
    print(y)
    print(torch.autograd.grad(y, w, retain_graph=True))
    try:
        torch.autograd.grad(y, x)
    except RuntimeError as e:
        print(type(e).__name__, e)
    y = torch.stack([x[0] / w[0], x[1]]).sum()
    try:
        torch.autograd.grad(y, [x, w])
    except RuntimeError as e:
        print(type(e).__name__, e)
