# expect: stale|loss not-registered-so-not-in-the-optimiser net.hidden[0].weight, net.hidden[0].bias, net.hidden[1].weight, net.hidden[1].bias
# check: unused(*net.hidden[0].parameters(), *net.hidden[1].parameters())
import torch
import torch.nn as nn
import torch.nn.functional as F


class DeepNet(nn.Module):
    def __init__(self, width=16, depth=2):
        super().__init__()
        self.inp = nn.Linear(2, width)
        self.hidden = [nn.Linear(width, width) for _ in range(depth)]  # <- here
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = F.relu(self.inp(x))
        for layer in self.hidden:
            x = F.relu(layer(x))
        return self.out(x)


def main():
    torch.manual_seed(0)
    net = DeepNet()
    print(sum(p.numel() for p in net.parameters()), "parameters")
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)  # <- here
    x = torch.rand(100, 2) * 2 - 1
    y = (x[:, :1] * x[:, 1:]).sign()
    for epoch in range(20):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
