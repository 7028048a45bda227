# expect: loss int net.where.1.weight, net.where.1.bias
# check: missing(net.where[1].weight)
import torch
import torch.nn as nn

torch.manual_seed(0)


class Glimpse(nn.Module):
    def __init__(self):
        super().__init__()
        self.where = nn.Sequential(nn.Flatten(), nn.Linear(64, 2), nn.Sigmoid())
        self.what = nn.Linear(16, 2)

    def forward(self, img):
        pos = self.where(img)
        crops = []
        for im, p in zip(img, pos):
            i, j = int(p[0] * 4), int(p[1] * 4)  # <- here
            crops.append(im[0, i : i + 4, j : j + 4].reshape(-1))
        return self.what(torch.stack(crops))


net = Glimpse()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.rand(8, 1, 8, 8), torch.randint(0, 2, (8,))
for i in range(3):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
