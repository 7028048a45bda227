# expect: doubled gradients-never-cleared w, b
# check: doubled(w, b)
import torch

torch.manual_seed(0)
num_inputs, num_examples = 2, 200
true_w, true_b = torch.tensor([2.0, -3.4]), 4.2
features = torch.randn(num_examples, num_inputs)
labels = features @ true_w + true_b + 0.01 * torch.randn(num_examples)

w = torch.normal(0, 0.01, (num_inputs,), requires_grad=True)
b = torch.zeros(1, requires_grad=True)


def linreg(X, w, b):
    return X @ w + b


def sgd(params, lr, batch_size):
    for param in params:
        param.data -= lr * param.grad / batch_size


for epoch in range(3):
    for start in range(0, num_examples, 50):
        X, y = features[start : start + 50], labels[start : start + 50]
        l = ((linreg(X, w, b) - y) ** 2 / 2).sum()
        l.backward()  # <- here
        sgd([w, b], 0.03, 50)
    print(f"epoch {epoch + 1}, loss {l.item():f}")
