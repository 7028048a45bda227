import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def names(node):
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return " <- ".join(found)


for change in (
    lambda y: y.add_(1),
    lambda y: y.mul_(2),
    lambda y: y.zero_(),
    lambda y: y.fill_(1.0),
    lambda y: y.copy_(torch.ones(3)),
    lambda y: y.copy_(x),
    lambda y: y.__setitem__(0, 5.0),
    lambda y: y[1:].mul_(2),
    lambda y: y.view(3, 1).exp_(),
    lambda y: y.sigmoid_(),
    lambda y: y.clamp_(0, 2),
    lambda y: y.t_(),
    lambda y: y.unsqueeze_(0),
    lambda y: y.masked_fill_(x > 1, 0.0),
    lambda y: y.index_fill_(0, torch.tensor([0]), 9.0),
):
    y = x * 1
    change(y)
    print(names(y.grad_fn))
