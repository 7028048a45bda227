# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Dropout(0.1), nn.Linear(10, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(64, 5)
y = (x[:, 0] > 0).long()
losses, predictions = [], []
for epoch in range(12):
    net.train()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    net.eval()
    predictions += net(x).argmax(1).tolist()
    snapshot = {k: v.clone() for k, v in net.state_dict().items()}
    losses.append(loss.item())
