# expect: doubled gradients-never-cleared model.0.weight, model.2.weight
# check: doubled(*model.parameters())
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 5)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
accumulation_steps = 4
for epoch in range(2):
    for i, (inputs, targets) in enumerate(loader):
        loss = nn.functional.mse_loss(model(inputs), targets) / accumulation_steps
        loss.backward()  # <- here
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()  # <- here
    print(epoch, loss.item())
