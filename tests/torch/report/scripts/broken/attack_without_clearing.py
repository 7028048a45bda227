# expect: doubled input-gradient-never-cleared adversarial
# check: doubled(adversarial)
"""Projected gradient descent on an input of a fixed classifier."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
victim = torch.nn.Sequential(torch.nn.Linear(10, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
victim.requires_grad_(False)
clean = torch.rand(5, 10)
label = victim(clean).argmax(1)

epsilon, alpha = 0.3, 0.02
adversarial = clean.clone().requires_grad_(True)
for iteration in range(12):
    loss = F.cross_entropy(victim(adversarial), label)
    loss.backward()  # <- here
    with torch.no_grad():
        adversarial += alpha * adversarial.grad / adversarial.grad.norm()
        delta = (adversarial - clean).clamp(-epsilon, epsilon)
        adversarial.copy_((clean + delta).clamp(0, 1))
print("still right:", (victim(adversarial).argmax(1) == label).float().mean().item())
