# expect: zero zero-weights-on-the-path mlp.fc1.weight, mlp.fc1.bias
# check: zero(mlp.fc1.weight, mlp.fc1.bias, mlp.fc2.weight) and not zero(mlp.fc2.bias)
import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 10)
        self.fc2 = nn.Linear(10, 3)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.weight)  # <- here
            nn.init.zeros_(module.bias)  # <- here

    def forward(self, x):
        x = F.relu(self.fc1(x))  # <- here
        return self.fc2(x)  # <- here


torch.manual_seed(0)
mlp = MLP()
optimizer = torch.optim.Adam(mlp.parameters(), lr=1e-2)
x = torch.randn(60, 6)
y = x[:, :3].argmax(dim=1)
for epoch in range(10):
    logits = mlp(x)
    loss = F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item(), "log 3 is", torch.tensor(3.0).log().item())
