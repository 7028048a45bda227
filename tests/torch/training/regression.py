"""PyTorch's regression example: a polynomial of degree 4 is fitted by hand with smooth_l1_loss."""

from itertools import count

import torch
import torch.nn.functional as F

torch.manual_seed(7)
POLY_DEGREE = 4
W_target = torch.randn(POLY_DEGREE, 1) * 5
b_target = torch.randn(1) * 5


def make_features(x):
    x = x.unsqueeze(1)
    return torch.cat([x**i for i in range(1, POLY_DEGREE + 1)], 1)


def f(x):
    return x.mm(W_target) + b_target.item()


fc = torch.nn.Linear(W_target.size(0), 1)
for batch_idx in count(1):
    batch_x = make_features(torch.randn(32))
    batch_y = f(batch_x)
    fc.zero_grad()
    output = F.smooth_l1_loss(fc(batch_x), batch_y)
    loss = output.item()
    output.backward()
    for param in fc.parameters():
        param.data.add_(-0.1 * param.grad)
    print(loss)
    if loss < 1e-3 or batch_idx == 60:
        break
