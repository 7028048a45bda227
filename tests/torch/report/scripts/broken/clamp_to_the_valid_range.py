# expect: zero clamped-everywhere model.weight, model.bias
# check: zero(model.weight, model.bias)
import torch
from torch import nn

torch.manual_seed(0)
temperature = 15 + 10 * torch.rand(40, 1)
brightness = 0.02 * temperature

model = nn.Linear(1, 1)
nn.init.constant_(model.weight, 1.0)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)

losses = []
for _ in range(50):
    predicted = torch.clamp(model(temperature), 0.0, 1.0)  # <- here
    loss = nn.functional.smooth_l1_loss(predicted, brightness)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())

print("from", losses[0], "to", losses[-1])
