# expect: error backward-of-a-vector loss
# check: raised("grad can be implicitly created only for scalar outputs")
import torch
import torch.nn as nn

torch.manual_seed(0)
sample_weight = torch.tensor([1.0, 1.0, 5.0, 1.0])
x = torch.randn(4, 7)
y = torch.tensor([0, 1, 2, 1])

net = nn.Linear(7, 3)
criterion = nn.CrossEntropyLoss(reduction="none")
opt = torch.optim.SGD(net.parameters(), lr=0.1)

for epoch in range(2):
    opt.zero_grad()
    loss = criterion(net(x), y) * sample_weight  # <- here
    loss.backward()  # <- here
    opt.step()
