# check: losses[0][-1] < losses[0][0] and losses[1][-1] < losses[1][0]
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 10)
widths = [10, 6, 3]
layers, losses = [], []
data = x
for n_in, n_out in zip(widths, widths[1:]):
    enc, dec = nn.Linear(n_in, n_out), nn.Linear(n_out, n_in)
    opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-2)
    curve = []
    for _ in range(15):
        loss = (dec(torch.tanh(enc(data))) - data).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve.append(loss.item())
    losses.append(curve)
    layers.append(enc)
    data = torch.tanh(enc(data)).detach()
