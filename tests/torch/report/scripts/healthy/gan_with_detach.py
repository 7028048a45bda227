# check: all(p.grad is not None for p in [*G.parameters(), *D.parameters()])
import torch
import torch.nn as nn

torch.manual_seed(0)
nz = 4
G = nn.Sequential(nn.Linear(nz, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optD = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
optG = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
fixed_noise = torch.randn(8, nz)
history = {"D": [], "G": []}

for i in range(10):
    # real batch
    D.zero_grad()
    real = torch.randn(16, 2) * 0.3 + 1
    errD_real = criterion(D(real).view(-1), torch.full((16,), 0.9))
    errD_real.backward()
    # fake batch: gradients of both are added
    fake = G(torch.randn(16, nz))
    errD_fake = criterion(D(fake.detach()).view(-1), torch.zeros(16))
    errD_fake.backward()
    optD.step()

    G.zero_grad()
    errG = criterion(D(fake).view(-1), torch.ones(16))
    errG.backward()
    optG.step()
    history["D"].append((errD_real + errD_fake).item())
    history["G"].append(errG.item())
with torch.no_grad():
    print(G(fixed_noise).mean(0))
