# expect: error saved-value-changed-in-place net.conv1.weight, out
# check: raised("modified by an inplace operation")
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv1d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv1d(channels, channels, 3, padding=1)

    def forward(self, x):
        out = torch.sigmoid(self.conv1(x))
        gate = torch.tanh(self.conv2(out))
        gate += x  # <- here
        return gate


def main():
    torch.manual_seed(0)
    net = nn.Sequential(Block(3), nn.Flatten(), nn.Linear(24, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    waves, kinds = torch.randn(10, 3, 8), torch.randint(2, (10,))
    for epoch in range(3):
        loss = nn.functional.cross_entropy(net(waves), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
