import torch

x = torch.tensor(3.0, requires_grad=True)
print(x.item(), type(x.item()).__name__, float(x), int(x), bool(x))
print(f"{x:.2f}", f"{x}", str(x.detach()))
print([x, x * 2])
v = torch.tensor([1.0, 2.0], requires_grad=True)
print(v.tolist(), v[0].item(), (v * 2).tolist())
for f in (lambda: float(v), lambda: v.item(), lambda: bool(v), lambda: int(v)):
    try:
        f()
    except (RuntimeError, ValueError, TypeError) as e:
        print(type(e).__name__, e)
y = torch.tensor([x, x * 2])
print(y, y.requires_grad)
y = torch.stack([x, x * 2])
print(y)
