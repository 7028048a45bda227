# expect: error|loss update-outside-no-grad-replaced-the-leaf w, b
# check: raised("NoneType") and not w.is_leaf
import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 50)
y = 3 * x + 2 + 0.1 * torch.randn(50)

w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)


def model(x):
    return w * x + b


learning_rate = 0.1
for epoch in range(10):
    loss = torch.mean((model(x) - y) ** 2)
    loss.backward()
    print(epoch, loss.item())
    w = w - learning_rate * w.grad  # <- here
    b = b - learning_rate * b.grad  # <- here
