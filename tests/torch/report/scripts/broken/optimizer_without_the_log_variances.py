# expect: stale|loss not-given-to-the-optimiser log_var_a, log_var_b
# check: unused(log_var_a, log_var_b)
# weighting of two losses by learned uncertainty
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 2))
log_var_a = torch.zeros((), requires_grad=True)
log_var_b = torch.zeros((), requires_grad=True)

optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)  # <- here

x = torch.randn(80, 3)
a, b = x.sum(1), 10 * x.prod(1)

for epoch in range(20):
    out = net(x)
    loss_a = (out[:, 0] - a).pow(2).mean()
    loss_b = (out[:, 1] - b).pow(2).mean()
    loss = torch.exp(-log_var_a) * loss_a + log_var_a + torch.exp(-log_var_b) * loss_b + log_var_b
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print("weights", torch.exp(-log_var_a).item(), torch.exp(-log_var_b).item())
