# check: sum(losses[-3:]) < sum(losses[:3])
import torch
from torch import nn

torch.manual_seed(0)


def repackage(h):
    """Hidden states without their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage(v) for v in h)


wave = torch.sin(torch.arange(0, 40, 0.2)).view(1, -1, 1)
lstm, out = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *out.parameters()], lr=0.02)
losses = []
for epoch in range(3):
    hidden = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
    for start in range(0, 180, 20):
        hidden = repackage(hidden)
        states, hidden = lstm(wave[:, start : start + 20], hidden)
        loss = nn.functional.mse_loss(out(states), wave[:, start + 1 : start + 21])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(lstm.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
