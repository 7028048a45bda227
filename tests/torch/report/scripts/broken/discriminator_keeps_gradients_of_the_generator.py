# expect: doubled gradients-of-another-loss-left-over D.0.weight, D.0.bias, D.2.weight, D.2.bias
# check: doubled(*D.parameters())
import torch
from torch import nn

torch.manual_seed(999)
G = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
bce = nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(D.parameters(), lr=2e-3)
optimizerG = torch.optim.Adam(G.parameters(), lr=2e-3)
real_label, fake_label = torch.ones(16, 1), torch.zeros(16, 1)

for i in range(8):
    real = torch.randn(16, 2) + torch.tensor([2.0, -1.0])
    noise = torch.randn(16, 3)
    fake = G(noise)

    # (1) discriminator
    errD = bce(D(real), real_label) + bce(D(fake.detach()), fake_label)
    errD.backward()  # <- here
    optimizerD.step()

    # (2) generator
    optimizerG.zero_grad()
    errG = bce(D(fake), real_label)
    errG.backward()  # <- here
    optimizerG.step()
    print(f"[{i}] D {errD.item():.3f} G {errG.item():.3f}")
