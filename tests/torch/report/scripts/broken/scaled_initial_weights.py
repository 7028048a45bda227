# expect: error|loss result-of-an-operation-is-not-a-leaf W1, W2
# check: raised("NoneType") and not W1.is_leaf
# two-layer net by hand
import torch

torch.manual_seed(0)
N, D_in, H, D_out = 32, 10, 8, 2
X = torch.randn(N, D_in)
Y = torch.randn(N, D_out)

W1 = torch.randn(D_in, H, requires_grad=True) * 0.1  # <- here
W2 = torch.randn(H, D_out, requires_grad=True) * 0.1  # <- here
lr = 1e-3

for step in range(100):
    hidden = (X @ W1).clamp(min=0)
    loss = (hidden @ W2 - Y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        W1 -= lr * W1.grad
        W2 -= lr * W2.grad
        W1.grad.zero_()
        W2.grad.zero_()
print(loss.item())
