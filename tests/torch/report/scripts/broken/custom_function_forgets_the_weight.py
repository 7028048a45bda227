# expect: loss backward-of-a-function-returns-none layer.weight
# check: missing(layer.weight) and not missing(layer.bias)
import torch
from torch import nn
from torch.autograd import Function


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias):
        ctx.save_for_backward(input, weight)
        return input.mm(weight.t()) + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_bias = grad_output.sum(0)
        return grad_input, None, grad_bias  # <- here


class MyLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_out, n_in).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return LinearFunction.apply(x, self.weight, self.bias)  # <- here


torch.manual_seed(0)
layer = MyLinear(3, 2)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
x = torch.randn(30, 3)
y = x @ torch.randn(3, 2)
for _ in range(10):
    opt.zero_grad()
    loss = (layer(x) - y).square().mean()
    loss.backward()
    opt.step()
print(loss.item())
