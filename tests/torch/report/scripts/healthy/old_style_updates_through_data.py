# check: losses[-1] < losses[0]
# in the manner of 2017
import torch
from torch.autograd import Variable

torch.manual_seed(0)
N, D_in, H, D_out = 32, 20, 10, 2
x = Variable(torch.randn(N, D_in), requires_grad=False)
y = Variable(torch.randn(N, D_out), requires_grad=False)
w1 = Variable(torch.randn(D_in, H), requires_grad=True)
w2 = Variable(torch.randn(H, D_out), requires_grad=True)
losses = []
for t in range(40):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    losses.append(loss.data.item())
    loss.backward()
    w1.data -= 1e-4 * w1.grad.data
    w2.data -= 1e-4 * w2.grad.data
    w1.grad.data.zero_()
    w2.grad.data.zero_()
