# expect: loss integers-have-no-gradient shift
# check: missing(shift) and not missing(gain)
"""Register two signals: find the shift and the gain that map one to the other."""

import torch

torch.manual_seed(0)
t = torch.linspace(0, 6.28, 100)
signal = torch.sin(t)
observed = 2.0 * torch.roll(signal, 7)

shift = torch.tensor(3.0, requires_grad=True)
gain = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.Adam([shift, gain], lr=0.1)

for iteration in range(30):
    index = (torch.arange(100) - shift.long()) % 100  # <- here
    moved = signal[index] * gain
    loss = torch.nn.functional.mse_loss(moved, observed)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print("shift", shift.item(), "gain", gain.item())
