# check: log.last("loss") < log.first("loss")
# train.py, logger.py and model.py in one
import math

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset, random_split


class Meter:
    def __init__(self):
        self.values = {}

    def add(self, **numbers):
        for name, value in numbers.items():
            if isinstance(value, torch.Tensor):
                value = value.detach().float().mean().item()
            self.values.setdefault(name, []).append(value)

    def first(self, name):
        return self.values[name][0]

    def last(self, name):
        return self.values[name][-1]


class Spiral(Dataset):
    def __init__(self, n=120):
        t = torch.linspace(0.5, 2, n)
        side = torch.arange(n) % 2
        angle = t * math.pi + side * math.pi
        self.x = torch.stack([t * angle.cos(), t * angle.sin()], 1)
        self.y = side

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Trainer:
    def __init__(self, model, log):
        self.model, self.log = model, log
        self.optimizer = optim.Adam(model.parameters(), lr=2e-2)

    def epoch(self, loader):
        self.model.train()
        for x, y in loader:
            self.optimizer.zero_grad()
            logits = self.model(x)
            loss = nn.functional.cross_entropy(logits, y)
            loss.backward()
            self.optimizer.step()
        self.log.add(loss=loss, weight=self.model[0].weight, margin=logits.max(1).values - logits.min(1).values)

    @torch.no_grad()
    def test(self, loader):
        self.model.eval()
        hits = [(self.model(x).argmax(1) == y).float() for x, y in loader]
        self.log.add(accuracy=torch.cat(hits))


if __name__ == "__main__":
    torch.manual_seed(0)
    train_set, test_set = random_split(Spiral(), [90, 30])
    log = Meter()
    trainer = Trainer(nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2)), log)
    for _ in range(6):
        trainer.epoch(DataLoader(train_set, batch_size=30, shuffle=True))
        trainer.test(DataLoader(test_set, batch_size=30))
    print(log.last("loss"), log.last("accuracy"))
