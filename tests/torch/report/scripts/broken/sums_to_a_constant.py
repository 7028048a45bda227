# expect: zero normalised-away temperature
# check: zero(temperature)
import torch

torch.manual_seed(0)
scores = torch.randn(10, 1)
temperature = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([temperature], lr=0.1)
for step in range(4):
    weights = torch.softmax(scores / temperature, dim=-1)  # <- here
    entropy = -(weights * weights.clamp(min=1e-9).log()).sum()
    optimizer.zero_grad()
    entropy.backward()
    optimizer.step()
    print(step, entropy.item())
