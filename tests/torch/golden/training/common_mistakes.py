import torch

x = torch.tensor([1.0, 2.0, 3.0])
y = 2 * x
w = torch.tensor(0.0, requires_grad=True)
for step in range(3):  # gradients add up when they are not zeroed
    ((w * x - y) ** 2).mean().backward()
    print(step, w.grad.item())

w = torch.tensor(0.0, requires_grad=True)
((w * x - y) ** 2).mean().backward()
w = w - 0.1 * w.grad  # no longer a leaf
print(w, w.is_leaf)
((w * x - y) ** 2).mean().backward()
print(w.grad)

w = torch.tensor(0.0, requires_grad=True)
loss = ((w * x - y) ** 2).mean()
loss.backward()
try:
    loss.backward()
except RuntimeError as e:
    print(e)
try:
    w -= 0.1 * w.grad
except RuntimeError as e:
    print(e)
total = 0
for _ in range(3):
    total += ((w * x - y) ** 2).mean()
print(total, total.grad_fn.next_functions[0][0].name())
with torch.no_grad():
    loss = (w * x).sum()
try:
    loss.backward()
except RuntimeError as e:
    print(e)
