# check: losses[-1] < losses[0] and 0 <= f1 <= 1
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(90, 3)
y = (x.sum(1) > 0).float()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
losses, curve = [], []
for epoch in range(20):
    logits = net(x).squeeze(1)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    predicted = (logits.detach().numpy() > 0).astype(np.float32)
    truth = y.numpy()
    tp = float(np.sum(predicted * truth))
    f1 = 2 * tp / max(float(predicted.sum() + truth.sum()), 1.0)
    curve.append(logits.sigmoid().tolist())  # for the plot
    losses.append(loss.item())
print("F1", f1, "spread", np.std(np.array(curve), axis=0).mean())
