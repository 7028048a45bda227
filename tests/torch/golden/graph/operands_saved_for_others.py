import torch


def made(*requires):
    return [torch.full((2, 2), 3.0, requires_grad=r) for r in requires]


for mask in ((True, False, False), (False, True, False), (False, False, True)):
    for make, names in (
        (torch.addmm, ("mat1", "mat2", "beta")),
        (torch.addcmul, ("tensor1", "tensor2", "value")),
        (lambda x, a, b: torch.addmv(x[0], a, b[0]), ("mat", "vec", "alpha")),
        (lambda x, a, b: torch.baddbmm(x[None], a[None], b[None]), ("batch1", "batch2")),
        (lambda x, a, b: a @ b, ("self", "mat2")),
        (lambda x, a, b: a * b, ("self", "other")),
        (lambda x, a, b: a / b, ("self", "other")),
    ):
        node = make(*made(*mask)).grad_fn
        if node is not None:
            print(mask, node.name(), *[getattr(node, "_saved_" + name) for name in names])
try:
    torch.addmm(*made(True, True, True)).grad_fn._saved_self
except AttributeError as error:
    print(error)
