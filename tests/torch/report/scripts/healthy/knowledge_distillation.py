# check: losses[-1] < losses[0] and all(p.grad is None for p in teacher.parameters())
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 3)).eval()
student = nn.Linear(5, 3)
optimizer = torch.optim.Adam(student.parameters(), lr=0.05)
x = torch.randn(100, 5)
T, alpha = 2.0, 0.7
losses = []
for epoch in range(25):
    with torch.inference_mode():
        soft = F.softmax(teacher(x) / T, dim=1)
    soft = soft.clone()
    hard = soft.argmax(dim=1)
    logits = student(x)
    kd = F.kl_div(F.log_softmax(logits / T, dim=1), soft, reduction="batchmean") * T * T
    loss = alpha * kd + (1 - alpha) * F.cross_entropy(logits, hard)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
