# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 10), nn.LayerNorm(10), nn.GELU(), nn.Linear(10, 1))
decay = [p for p in model.parameters() if p.dim() > 1]
no_decay = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.1, "lr": 1e-2}, {"params": no_decay, "weight_decay": 0.0}], lr=3e-2
)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
x = torch.randn(80, 6)
y = torch.sin(x[:, :1])
losses = []
for step in range(25):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    warmup.step()
    losses.append(loss.item())
