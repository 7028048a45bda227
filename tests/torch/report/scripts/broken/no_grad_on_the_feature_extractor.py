# expect: loss computed-under-no-grad net.features.0.weight, net.features.0.bias, net.features.2.weight, net.features.2.bias
# check: missing(*net.features.parameters()) and not missing(net.classifier.weight)
import torch
import torch.nn as nn

torch.manual_seed(0)


class SmallCNN(nn.Module):
    """Trained from scratch; the decorator is a leftover of an experiment with pretrained weights."""

    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3), nn.ReLU())
        self.classifier = nn.Linear(8, classes)

    @torch.no_grad()
    def extract(self, image):
        return self.features(image).mean(dim=(2, 3))  # <- here

    def forward(self, image):
        features = self.extract(image)  # <- here
        return self.classifier(features)


net = SmallCNN()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
images = torch.rand(32, 1, 10, 10)
targets = torch.randint(0, 4, (32,))

for _ in range(5):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(images), targets)
    loss.backward()
    opt.step()
print(loss.item())
