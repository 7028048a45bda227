# check: loss.item() < 1.5
import torch
import torch.nn as nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class EMA:
    def __init__(self, model, decay):
        self.model, self.decay = model, decay
        self.shadow, self.backup = {}, {}

    def register(self):
        for name, p in self.model.named_parameters():
            if p.requires_grad:
                self.shadow[name] = p.data.clone()

    def update(self):
        for name, p in self.model.named_parameters():
            if p.requires_grad:
                self.shadow[name] = ((1.0 - self.decay) * p.data + self.decay * self.shadow[name]).clone()

    def apply_shadow(self):
        for name, p in self.model.named_parameters():
            if p.requires_grad:
                self.backup[name] = p.data
                p.data = self.shadow[name]

    def restore(self):
        for name, p in self.model.named_parameters():
            if p.requires_grad:
                p.data = self.backup[name]
        self.backup = {}


X = torch.randn(48, 5)
Y = X.sum(1, keepdim=True).sin()
loader = DataLoader(TensorDataset(X, Y), batch_size=16)
model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
swa_model = AveragedModel(model)
swa_sched = SWALR(opt, swa_lr=0.01)
ema = EMA(model, 0.9)
ema.register()
for epoch in range(5):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        ema.update()
    if epoch >= 2:
        swa_model.update_parameters(model)
        swa_sched.step()
    ema.apply_shadow()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(X), Y)
    model.train()
    ema.restore()
update_bn(loader, swa_model)
print(loss.item(), val.item())
