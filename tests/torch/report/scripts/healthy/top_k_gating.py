# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
experts = nn.ModuleList(nn.Linear(4, 2) for _ in range(4))
router = nn.Linear(4, 4)
opt = torch.optim.Adam([*experts.parameters(), *router.parameters()], lr=2e-2)
x, y = torch.randn(32, 4), torch.randn(32, 2)
losses = []
for _ in range(20):
    logits = router(x)
    top, index = logits.topk(2, dim=-1)
    gates = torch.zeros_like(logits).scatter(1, index, top.softmax(-1))
    out = sum(gates[:, k : k + 1] * expert(x) for k, expert in enumerate(experts))
    loss = (out - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
