# check: losses[-1] < losses[0] and choose.weight.grad.abs().sum() > 0
import torch
import torch.nn.functional as F

torch.manual_seed(0)
choose = torch.nn.Linear(5, 4)
words = torch.nn.Parameter(torch.randn(4, 5))
opt = torch.optim.Adam([*choose.parameters(), words], lr=3e-2)
x = torch.eye(4, 5)[torch.arange(64) % 4] + 0.1 * torch.randn(64, 5)
losses = []
for step in range(40):
    tau = max(0.5, 1.0 - 0.01 * step)
    message = F.gumbel_softmax(choose(x), tau=tau, hard=True)
    loss = F.mse_loss(message @ words, x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
