import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
c = torch.tensor([5.0, 6.0])
y = ((x * w + c).exp() - x * 2).sum()


def walk(node, depth=0):
    print("  " * depth + (node.name() if node else "None"))
    if node:
        for following, _ in node.next_functions:
            walk(following, depth + 1)


walk(y.grad_fn)
walk((x + c).grad_fn)
walk((c - x).grad_fn)
walk(torch.cat([x, c, w]).grad_fn)
