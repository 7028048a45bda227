import torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
y = x * w
z = y * y
z.backward(inputs=[x], retain_graph=True)
print(x.grad, w.grad)
z.backward(inputs=w, retain_graph=True)
print(x.grad, w.grad)
z.backward(inputs=[y, x], retain_graph=True)
print(x.grad, w.grad, y.grad)
try:
    z.backward(inputs=[], retain_graph=True)
except RuntimeError as e:
    print(type(e).__name__, e)
other = torch.tensor(1.0, requires_grad=True)
z.backward(inputs=[other], retain_graph=True)
print(other.grad)
try:
    z.backward(inputs=[torch.tensor(1.0)], retain_graph=True)
except RuntimeError as e:
    print(type(e).__name__, e)
