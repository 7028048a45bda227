# expect: error backward-through-freed-graph cell.memory, cell.update.weight
# check: raised("Trying to backward through the graph a second time")
import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.update = nn.Linear(5, 3)
        self.memory = torch.zeros(3)

    def forward(self, x):
        self.memory = torch.tanh(self.update(torch.cat([x, self.memory])))  # <- here
        return self.memory.sum()


torch.manual_seed(0)
cell = Cell()
opt = torch.optim.SGD(cell.parameters(), lr=0.01)
for step in range(3):
    loss = (cell(torch.randn(2)) - 1) ** 2
    opt.zero_grad()
    loss.backward()  # <- here
    opt.step()
