# expect: loss|stale parameter-wrapped-in-every-forward evolve.weight_ih, evolve.weight_hh
# check: missing(evolve.weight_ih, evolve.weight_hh)
# the weight of a layer is the state of a GRU
import torch
from torch import nn

torch.manual_seed(0)
evolve = nn.GRUCell(4, 4)
layer = nn.Linear(4, 4, bias=False)
opt = torch.optim.Adam([*evolve.parameters(), *layer.parameters()], lr=1e-2)
snapshots = [torch.randn(10, 4) for _ in range(5)]

for epoch in range(4):
    loss = 0.0
    for x in snapshots:
        new = evolve(layer.weight, layer.weight)
        layer.weight = nn.Parameter(new)  # <- here
        loss = loss + (layer(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
