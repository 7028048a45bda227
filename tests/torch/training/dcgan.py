"""A generator and a discriminator of images of 16 x 16, as in PyTorch's dcgan example, with Adam."""

# to 1e-4 of its value
# Its reason: two networks that follow each other enlarge what rounding makes of them.

import torch
from torch import nn

torch.manual_seed(999)
rows, columns = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
centers = 4 + 8 * torch.rand(64, 2, 1, 1)
images = (2 * torch.exp(-((rows - centers[:, 0]) ** 2 + (columns - centers[:, 1]) ** 2) / 6) - 1)[:, None]


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Conv") != -1:
        torch.nn.init.normal_(m.weight, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        torch.nn.init.normal_(m.weight, 1.0, 0.02)
        torch.nn.init.zeros_(m.bias)


netG = nn.Sequential(
    nn.ConvTranspose2d(8, 16, 4, 1, 0, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
    nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(True),
    nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False), nn.Tanh(),
)  # fmt: skip  # a layer in each line
netD = nn.Sequential(
    nn.Conv2d(1, 8, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(8, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(16, 1, 4, 1, 0, bias=False), nn.Sigmoid(), nn.Flatten(0),
)  # fmt: skip  # a layer in each line
netG.apply(weights_init)
netD.apply(weights_init)
criterion = nn.BCELoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
for step in range(25):
    real = images[step % 4 * 16 : step % 4 * 16 + 16]
    label = torch.full((16,), 1.0)
    netD.zero_grad()
    errD_real = criterion(netD(real), label)
    errD_real.backward()
    fake = netG(torch.randn(16, 8, 1, 1))
    label.fill_(0.0)
    errD_fake = criterion(netD(fake.detach()), label)
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    label.fill_(1.0)
    errG = criterion(netD(fake), label)
    errG.backward()
    optimizerG.step()
    print((errD_real + errD_fake).item(), errG.item())
