# expect: stale optimiser-of-other-parameters G.0.weight, G.2.weight
# check: unused(G[0].weight)
import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_D = torch.optim.Adam(D.parameters(), lr=1e-3)
opt_G = torch.optim.Adam(D.parameters(), lr=1e-3)  # <- here
bce = nn.BCEWithLogitsLoss()
for i in range(4):
    z = torch.randn(16, 2)
    fake = G(z)
    d_loss = bce(D(torch.randn(16, 2) + 1), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    opt_D.zero_grad()
    d_loss.backward()
    opt_D.step()
    g_loss = bce(D(fake), torch.ones(16, 1))
    opt_G.zero_grad()
    g_loss.backward()  # <- here
    opt_G.step()
    print(d_loss.item(), g_loss.item())
