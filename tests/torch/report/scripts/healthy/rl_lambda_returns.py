# check: losses[-1] < losses[0]
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
value = nn.Linear(3, 1)
opt = torch.optim.Adam(value.parameters(), lr=0.05)
states = torch.as_tensor(rng.normal(size=(50, 3)), dtype=torch.float32)
rewards = states[:, 0].numpy().copy()
losses = []
for _ in range(30):
    v = value(states).squeeze(1)
    baseline = v.detach().numpy()
    returns = np.zeros(50, dtype=np.float32)
    for t in reversed(range(49)):
        returns[t] = rewards[t] + 0.3 * (0.5 * baseline[t + 1] + 0.5 * returns[t + 1])
    loss = (v - torch.from_numpy(returns)).pow(2)[:-1].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
