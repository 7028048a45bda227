import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = x.sqrt() * 0
z = y.sum()
z.backward()
print(x.grad)
x.grad = None
with torch.autograd.detect_anomaly():
    y = x.sqrt() * 0
    z = y.sum()
    try:
        z.backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
print(x.grad)
