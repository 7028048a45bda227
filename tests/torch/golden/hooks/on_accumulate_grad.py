import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
node = x.expand(2).grad_fn.next_functions[0][0]
print(node.name(), node.variable is x)
node.register_hook(lambda gi, go: print("post", gi, go, x.grad))
node.register_prehook(lambda go: (go[0] * 10,))
x.register_hook(lambda g: print("tensor", g))
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
(x * 3).sum().backward()
print(x.grad)
