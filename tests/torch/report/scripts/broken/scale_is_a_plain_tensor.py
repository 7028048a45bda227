# expect: stale|loss attribute-is-not-a-parameter gate.temperature
# check: unused(gate.temperature)
import torch


class Gate(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.score = torch.nn.Linear(size, size)
        self.temperature = torch.ones(1, requires_grad=True)  # <- here

    def forward(self, x):
        return x * torch.softmax(self.score(x) / self.temperature, dim=-1)


torch.manual_seed(4)
gate = Gate(5)
opt = torch.optim.Adam(gate.parameters(), lr=0.02)  # <- here
x = torch.randn(40, 5)
target = x * (x == x.amax(dim=-1, keepdim=True))

for i in range(30):
    opt.zero_grad(set_to_none=True)
    loss = torch.nn.functional.l1_loss(gate(x), target)
    loss.backward()
    opt.step()
    if i % 10 == 0:
        print(i, loss.item(), gate.temperature.item())
