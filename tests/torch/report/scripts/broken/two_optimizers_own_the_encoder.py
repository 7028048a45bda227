# expect: doubled|stale stepped-twice-with-one-gradient encoder.weight, encoder.bias
# check: not {id(p) for p in opt_a.param_groups[0]["params"]}.isdisjoint(id(p) for p in opt_b.param_groups[0]["params"])
import itertools

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Linear(9, 5)
digit_head = nn.Linear(5, 10)
parity_head = nn.Linear(5, 2)

opt_a = torch.optim.SGD(itertools.chain(encoder.parameters(), digit_head.parameters()), lr=0.1)
opt_b = torch.optim.SGD(itertools.chain(encoder.parameters(), parity_head.parameters()), lr=0.1)  # <- here

x = torch.randn(60, 9)
digit = torch.randint(10, (60,))

for epoch in range(6):
    code = encoder(x)
    loss = F.cross_entropy(digit_head(code), digit) + F.cross_entropy(parity_head(code), digit % 2)
    opt_a.zero_grad()
    opt_b.zero_grad()
    loss.backward()
    opt_a.step()
    opt_b.step()  # <- here
    print(epoch, loss.item())
