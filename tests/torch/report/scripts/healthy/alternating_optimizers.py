# check: losses[-1] < losses[0]
# factors of a matrix in turn: while one moves the other rests, and its gradient is cleared before it is used
import torch

torch.manual_seed(0)
truth = torch.randn(12, 2) @ torch.randn(2, 9)
left = torch.randn(12, 2, requires_grad=True)
right = torch.randn(2, 9, requires_grad=True)
opt_left = torch.optim.SGD([left], lr=0.2)
opt_right = torch.optim.SGD([right], lr=0.2)
losses = []
for step in range(30):
    optimizer = opt_left if step % 2 == 0 else opt_right
    loss = (left @ right - truth).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
