import torch

x = torch.tensor([0.5, 0.25], requires_grad=True)
y = torch.tensor([2.0, 4.0], requires_grad=True)
results = [
    x + y,
    x + 1,
    1 - x,
    x - y,
    x * y,
    x * 2,
    x / y,
    1 / x,
    x / 2,
    -x,
    x**2,
    x**y,
    2**x,
    x.exp(),
    x.log(),
    x.abs(),
    x.clone(),
    x.sin(),
    x.sqrt(),
    x.tanh(),
    x.sigmoid(),
    x.relu(),
]
results += [
    x.clamp(0, 1),
    torch.max(x, y),
    torch.maximum(x, y),
    torch.where(x > 0, x, y),
    x.lerp(y, 0.5),
    torch.atan2(x, y),
    x.double(),
    x % 2,
    x // 2,
    x.floor(),
    x.sum(),
    x.mean(),
    x.prod(),
    x @ y,
    x.softmax(0),
]
for r in results:
    print(r.grad_fn.name(), len(r.grad_fn.next_functions))
print((x > 0).grad_fn, x.grad_fn, x.detach().grad_fn, x.argmax().grad_fn, x.long().grad_fn)
print(
    ((x + 1) * y).grad_fn.next_functions[0][0].name(),
    (x * 2).grad_fn.next_functions[1],
    [f[0].name() for f in (x * y).grad_fn.next_functions],
)
