"""A factor is saved for the gradient of the other one only, so otherwise it may change."""

import itertools

import torch

SHAPES = {
    "addmm": ((4, 2), (4, 3), (3, 2)),
    "addmv": ((4,), (4, 3), (3,)),
    "addbmm": ((4, 2), (2, 4, 3), (2, 3, 2)),
    "baddbmm": ((2, 4, 2), (2, 4, 3), (2, 3, 2)),
    "addr": ((3, 2), (3,), (2,)),
}

for name, shapes in SHAPES.items():
    for mask in itertools.product((False, True), repeat=3):
        if not any(mask):
            continue
        allowed = []
        for changed in range(3):
            operands = [torch.ones(shape, requires_grad=needed) for shape, needed in zip(shapes, mask)]
            result = getattr(torch, name)(*operands)
            with torch.no_grad():
                operands[changed].add_(1)
            try:
                result.sum().backward()
                allowed.append(changed)
            except RuntimeError:
                pass
        print(name, mask, "may change:", allowed)

layer = torch.nn.Linear(3, 2)
features = layer(torch.ones(4, 3))
for _ in range(2):
    features.sum().backward(retain_graph=True)
    with torch.no_grad():
        layer.weight.sub_(0.1)
print(layer.weight.grad)
