import torch

x = torch.tensor([0.0], requires_grad=True)
y = x.sqrt() * 0
with torch.autograd.set_detect_anomaly(True):
    try:
        y.backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
print(x.grad)
