import torch

x = torch.tensor(1.0, requires_grad=True)
order = []
ys = []
for k in range(4):
    y = x * (k + 1)
    y.grad_fn.register_hook(lambda gi, go, k=k: order.append(k))
    ys.append(y)
(ys[2] + ys[0] + ys[3] + ys[1]).backward()
print(order, x.grad)
a = x * 2
b = a * 3
c = a * 4
log = []
for name, t in (("a", a), ("b", b), ("c", c)):
    t.grad_fn.register_hook(lambda gi, go, name=name: log.append(name))
(c + b).backward()
print(log)
