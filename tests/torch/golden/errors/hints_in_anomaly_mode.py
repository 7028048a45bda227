import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for enabled in (False, True):
    with torch.autograd.set_detect_anomaly(enabled):
        y = x * 1
        z = (y * y).sum()
        y.add_(1)
        try:
            z.backward()
        except RuntimeError as e:
            print(e)
