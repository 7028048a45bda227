# A network with relu and whole numbers: values and gradients without rounding, also the second derivative.
import torch

x = torch.tensor([[[1.0]], [[2.0]], [[-3.0]]], requires_grad=True)
h = torch.tensor([[[1.0]]], requires_grad=True)
w = [torch.tensor([[2.0]], requires_grad=True), torch.tensor([[3.0]], requires_grad=True)]
out, last = torch.rnn_relu(x, h, w, False, 1, 0.0, True, False, False)
print(out.flatten(), last.flatten())
print(torch.autograd.grad(out.sum(), [x, h, *w], retain_graph=True))
(g,) = torch.autograd.grad(out.sum(), w[1], create_graph=True)
print(torch.autograd.grad(g, [x, h, *w], allow_unused=True))
data, sizes = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True), torch.tensor([2, 1])
out, last = torch.rnn_relu(data, sizes, torch.zeros(1, 2, 1), w, False, 1, 0.0, True, False)
print(out.flatten(), last.flatten(), out.grad_fn.name())
print(torch.autograd.grad(out.sum(), data))
both = [*w, torch.tensor([[1.0]]), torch.tensor([[1.0]])]
out, last = torch.rnn_relu(data, sizes, torch.ones(2, 2, 1), both, False, 1, 0.0, True, True)
print(out, last.flatten())
