# expect: error inference-tensors-in-training probe.weight, features
# check: raised("Inference tensors cannot be saved for backward")
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 6), nn.ReLU()).eval()
probe = nn.Linear(6, 2)


@torch.inference_mode()
def extract(batch):
    return encoder(batch)


optimizer = torch.optim.SGD(probe.parameters(), lr=0.1)
x, y = torch.randn(30, 6), torch.randint(2, (30,))
features = extract(x)  # <- here
for epoch in range(3):
    logits = probe(features)  # <- here
    loss = nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
