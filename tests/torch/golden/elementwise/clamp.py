import torch

x = torch.tensor([-2.0, 0.0, 1.0, 3.0, float("nan")], requires_grad=True)
y = x.clamp(0, 1)
print(y, x.clamp(min=0), x.clamp(max=1), x.clip(0.5, 2), torch.clamp(x, 2, 1), x.clamp(min=torch.tensor(0.5)))
y[:4].sum().backward()
print(x.grad)
lo = torch.tensor([0.0, 0.0, 2.0], requires_grad=True)
z = torch.tensor([-1.0, 0.0, 5.0], requires_grad=True)
z.clamp(min=lo).sum().backward()
print(z.grad, lo.grad)
i = torch.tensor([1, 5])
print(i.clamp(max=2), i.clamp(0.5), i.clamp(max=2.5).dtype, torch.clamp_min(z, 0), torch.clamp_max(z, 0))
for bad in (lambda: x.clamp(), lambda: x.clamp("a"), lambda: z.clamp(torch.ones(2))):
    try:
        print(bad())
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
print(z.clamp(torch.tensor(0.0), torch.tensor(1.0)))
