# check: losses[-1] < losses[0]
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
params = {k: v.detach() for k, v in net.named_parameters()}
x = torch.randn(30, 3)
y = x.sum(1, keepdim=True)


def loss_of(params, x, y):
    return (functional_call(net, params, (x,)) - y).pow(2).mean()


per_example = vmap(grad(loss_of), (None, 0, 0))
losses = []
for step in range(15):
    grads = per_example(params, x, y)
    params = {k: v - 0.1 * grads[k].mean(0) for k, v in params.items()}
    losses.append(loss_of(params, x, y).item())
print("norm of the gradient of each example", grads["0.bias"].norm(dim=1)[:3].tolist())
