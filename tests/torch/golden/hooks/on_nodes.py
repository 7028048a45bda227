import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = x * w
h1 = y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: print("post", grad_inputs, grad_outputs))
h2 = y.grad_fn.register_prehook(lambda grad_outputs: print("pre", grad_outputs))
y.sum().backward(retain_graph=True)
print(x.grad, w.grad)
h1.remove()
h2.remove()
y.grad_fn.register_hook(lambda gi, go: (gi[0] * 100, None))
y.grad_fn.register_prehook(lambda go: (go[0] + 1,))
x.grad = w.grad = None
y.sum().backward()
print(x.grad, w.grad)
