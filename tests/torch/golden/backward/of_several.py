import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = (x * x).sum(), (x * 10).sum()
torch.autograd.backward([a, b])
print(x.grad)
x.grad = None
y = x * x
torch.autograd.backward([y, x.sum()], [torch.tensor([1.0, 2.0]), None])
print(x.grad)
x.grad = None
torch.autograd.backward((x * 2).sum())
print(x.grad)
x.grad = None
torch.autograd.backward(x * 2, torch.tensor([1.0, 3.0]))
print(x.grad)
for f in (
    lambda: torch.autograd.backward([x * 2, x * 3], [torch.ones(2)]),
    lambda: torch.autograd.backward([x * 2, x * 3]),
    lambda: torch.autograd.backward([]),
    lambda: torch.autograd.backward([x.sum(), torch.ones(())]),
):
    try:
        f()
        print("ran")
    except RuntimeError as e:
        print(type(e).__name__, e)
