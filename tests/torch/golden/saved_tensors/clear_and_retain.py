import torch

log = []
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: log.append("pack") or t, lambda t: log.append("unpack") or t):
    y = (x * x).sum()
print(log)
y.backward(retain_graph=True)
print(log, x.grad)
y.backward()
print(log, x.grad)
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__)
print(log)
