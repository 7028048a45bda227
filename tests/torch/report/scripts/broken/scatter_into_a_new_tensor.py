# expect: loss copied-into-new-tensor-by-item router.weight, router.bias
# check: missing(router.weight, router.bias)
import torch
import torch.nn as nn

torch.manual_seed(0)
experts = nn.ModuleList(nn.Linear(4, 2) for _ in range(3))
router = nn.Linear(4, 3)
opt = torch.optim.Adam([*experts.parameters(), *router.parameters()], lr=1e-2)
x, y = torch.randn(20, 4), torch.randn(20, 2)

for epoch in range(5):
    gates = router(x).softmax(-1)
    out = torch.zeros(20, 2)
    for i in range(20):
        for k, expert in enumerate(experts):
            out[i] += gates[i, k].item() * expert(x[i])  # <- here
    loss = (out - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
