# check: losses[-1] < losses[0] and out.dtype == torch.bfloat16
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x, y = torch.randn(40, 8), torch.randint(4, (40,))
losses = []
for epoch in range(15):
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = model(x)
    loss = nn.functional.cross_entropy(out.float(), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
