import torch

w = torch.tensor([4.0, -2.0], requires_grad=True)
for step in range(3):
    loss = (w * w).sum()
    loss.backward()
    print(step, loss.item(), w.grad)
    with torch.no_grad():
        w -= 0.25 * w.grad
    w.grad = None
    print(w, w.is_leaf, w._version)
w = torch.tensor([4.0, -2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
w = w - 0.25 * w.grad
print(w, w.is_leaf)
print(w.grad)
