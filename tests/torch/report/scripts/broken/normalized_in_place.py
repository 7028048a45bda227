# expect: error saved-value-changed-in-place weight, norm
# check: raised("modified by an inplace operation")
import torch


def l2norm(x):
    norm = x.pow(2).sum(dim=1, keepdim=True).sqrt()
    x /= norm  # <- here
    return x


torch.manual_seed(0)
anchors = torch.randn(8, 16)
weight = torch.randn(16, 4, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)

for it in range(3):
    codes = l2norm(torch.exp(anchors @ weight))
    similarity = codes @ codes.T
    loss = (similarity - torch.eye(8)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(it, loss.item())
