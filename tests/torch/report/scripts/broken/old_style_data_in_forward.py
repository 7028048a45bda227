# expect: loss cut-by-data fc1.weight, fc1.bias
# check: missing(fc1.weight, fc1.bias) and not missing(fc2.weight)
# ported from a script of the days of Variable
import torch
from torch.autograd import Variable

torch.manual_seed(2)
fc1 = torch.nn.Linear(3, 16)
fc2 = torch.nn.Linear(16, 1)
params = list(fc1.parameters()) + list(fc2.parameters())
optimizer = torch.optim.SGD(params, lr=0.01, momentum=0.9)

x = Variable(torch.randn(50, 3))
y = Variable(x.pow(2).sum(1, keepdim=True))

for t in range(50):
    h = torch.relu(fc1(x))
    h = Variable(h.data)  # <- here
    y_pred = fc2(h)
    loss = (y_pred - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print("final loss", loss.data)
