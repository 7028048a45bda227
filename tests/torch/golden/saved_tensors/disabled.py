import torch

x = torch.tensor([1.0], requires_grad=True)
with torch.autograd.graph.disable_saved_tensors_hooks("not allowed here"):
    y = x * x
    try:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    except RuntimeError as e:
        print(type(e).__name__, e)
y.backward()
print(x.grad)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    try:
        with torch.autograd.graph.disable_saved_tensors_hooks("not inside"):
            pass
    except RuntimeError as e:
        print(type(e).__name__, e)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    print((x * x).requires_grad)
