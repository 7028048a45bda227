import torch
from torch.autograd.graph import get_gradient_edge

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
z = y * y
edge = get_gradient_edge(y)
print(type(edge).__name__, edge.node is y.grad_fn, edge.output_nr)
print(get_gradient_edge(x).node.name())
print(torch.autograd.grad(z, edge, retain_graph=True))
print(torch.autograd.grad(get_gradient_edge(z), x, retain_graph=True))
try:
    get_gradient_edge(torch.ones(1))
except RuntimeError as e:
    print(type(e).__name__, e)
a, b = torch.arange(4.0, requires_grad=True).split(2)
print(get_gradient_edge(b).output_nr)
print(torch.autograd.graph.increment_version(x), x._version)
