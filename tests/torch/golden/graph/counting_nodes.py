import torch


def nodes(tensor):
    seen, todo = [], [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.append(node)
        todo.extend(following for following, _ in node.next_functions)
    return sorted(node.name() for node in seen)


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
z = y + y * x
print(nodes(y), nodes(z))
with torch.no_grad():
    print(x.sum().grad_fn)
print(nodes((z.detach() + x).sum()))
print(nodes(sum([x, x, x])))
print(nodes(torch.stack([x, y]).mean(0).max()))
