# check: losses[-1] < losses[0] and count > 0
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 10), nn.ReLU(), nn.Linear(10, 3))
count = sum(p.numel() for p in model.parameters() if p.requires_grad)
opt = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=10)
x = torch.randn(60, 3)
y = x.argmax(1)
losses, rates = [], []
for epoch in range(30):
    opt.zero_grad()
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    loss.backward()
    grad_norm = sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt().item()
    opt.step()
    schedule.step()
    rates.append(opt.param_groups[0]["lr"])
    confusion = torch.zeros(3, 3, dtype=torch.long)
    for t, p in zip(y, logits.argmax(1)):
        confusion[t, p] += 1
    losses.append(loss.item())
