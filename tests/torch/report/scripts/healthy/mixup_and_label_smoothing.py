# check: sum(losses[-5:]) < sum(losses[:5])
import numpy as np
import torch
import torch.nn as nn

np.random.seed(0)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), nn.Linear(16, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
x = torch.randn(64, 8)
y = x[:, :4].argmax(1)
losses = []
for step in range(30):
    lam = float(np.random.beta(0.4, 0.4))
    order = torch.from_numpy(np.random.permutation(64))
    out = net(lam * x + (1 - lam) * x[order])
    loss = lam * criterion(out, y) + (1 - lam) * criterion(out, y[order])
    for param in net.parameters():
        param.grad = None
    loss.backward()
    opt.step()
    losses.append(loss.item())
