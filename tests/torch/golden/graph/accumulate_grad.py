import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = x.exp()
node = y.grad_fn.next_functions[0][0]
print(node.name(), type(node).__name__, node)
print(node.variable is x, node.next_functions)
print(z.grad_fn.next_functions[0][0] is node, y.grad_fn.next_functions[1])
y.sum().backward()
print(node.variable.grad)
print(x.grad_fn)
a = x.view(2).grad_fn.next_functions[0][0]
print(a is node)
