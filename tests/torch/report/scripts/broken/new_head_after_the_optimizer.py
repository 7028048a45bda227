# expect: stale|loss optimiser-does-not-know-the-new-layer model.fc.weight, model.fc.bias
# check: unused(model.fc.weight, model.fc.bias)
# fine-tuning: 10 classes before, 3 now
import torch
import torch.nn as nn

torch.manual_seed(0)


class Backbone(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.conv = nn.Conv1d(1, 6, 5)
        self.fc = nn.Linear(6, num_classes)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).amax(-1))


model = Backbone()
checkpoint = {k: v.clone() for k, v in model.state_dict().items()}
model.load_state_dict(checkpoint)

optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
criterion = nn.CrossEntropyLoss()

model.fc = nn.Linear(model.fc.in_features, 3)  # <- here

waves = torch.randn(24, 1, 20)
kinds = torch.randint(0, 3, (24,))
for epoch in range(8):
    optimizer.zero_grad()
    loss = criterion(model(waves), kinds)
    loss.backward()
    optimizer.step()
    print(f"[{epoch}] {loss.item():.3f}")
