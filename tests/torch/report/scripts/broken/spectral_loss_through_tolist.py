# expect: loss values-left-through-tolist synth.freq, synth.amp
# check: missing(synth.freq, synth.amp)
import math

import torch
from torch import nn


class Synth(nn.Module):
    def __init__(self):
        super().__init__()
        self.freq = nn.Parameter(torch.tensor([2.0, 5.0]))
        self.amp = nn.Parameter(torch.tensor([1.0, 0.5]))

    def forward(self, t):
        waves = []
        for f, a in zip(self.freq.tolist(), self.amp.tolist()):  # <- here
            waves.append(a * torch.sin(2 * math.pi * f * t))
        return torch.stack(waves).sum(0)


torch.manual_seed(0)
t = torch.linspace(0, 1, 64)
sound = 0.8 * torch.sin(2 * math.pi * 3 * t)
synth = Synth()
gain = nn.Parameter(torch.ones(()))
opt = torch.optim.Adam([*synth.parameters(), gain], lr=0.01)
for i in range(10):
    loss = (gain * synth(t) - sound).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
