"""Sines are continued by two LSTM cells, fitted with L-BFGS in double precision, as PyTorch's example does."""

# to 1e-4 of its value
# Its reason: a search stops where gradients are small, and rounding decides how small.

import torch
from torch import nn

torch.manual_seed(0)
start = torch.randint(-20, 20, (12, 1))
data = torch.sin((torch.arange(40.0, dtype=torch.float64) + start) / 5)
source, target = data[3:, :-1], data[3:, 1:]


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1, self.lstm2, self.linear = nn.LSTMCell(1, 12), nn.LSTMCell(12, 12), nn.Linear(12, 1)

    def forward(self, input, future=0):
        outputs = []
        h1 = c1 = h2 = c2 = torch.zeros(input.size(0), 12, dtype=torch.double)
        for step in input.split(1, dim=1):
            h1, c1 = self.lstm1(step, (h1, c1))
            h2, c2 = self.lstm2(h1, (h2, c2))
            output = self.linear(h2)
            outputs += [output]
        for _ in range(future):
            h1, c1 = self.lstm1(output, (h1, c1))
            h2, c2 = self.lstm2(h1, (h2, c2))
            output = self.linear(h2)
            outputs += [output]
        return torch.cat(outputs, dim=1)


model = Sequence().double()
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=3)


def closure():
    optimizer.zero_grad()
    loss = criterion(model(source), target)
    loss.backward()
    return loss


for _ in range(8):
    print(optimizer.step(closure).item())
with torch.no_grad():
    future = model(data[:3, :-1], future=20)
    print(criterion(future[:, :-20], data[:3, 1:]).item(), future.size(1))
print(closure().item())
