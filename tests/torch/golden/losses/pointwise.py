# Losses of two tensors, element by element: values, gradients, nodes, second derivatives.
import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]], requires_grad=True)
y = torch.tensor([[0.5, -2.25, 2.5], [0.25, 1.0, -0.5]], requires_grad=True)
signs = torch.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])
p = torch.tensor([[0.5, 0.25, 0.75], [0.125, 0.5, 0.875]], requires_grad=True)

losses = {
    "mse": lambda r: F.mse_loss(x, y, reduction=r),
    "l1": lambda r: F.l1_loss(x, y, reduction=r),
    "smooth": lambda r: F.smooth_l1_loss(x, y, reduction=r, beta=0.5),
    "smooth0": lambda r: F.smooth_l1_loss(x, y, reduction=r, beta=0.0),
    "huber": lambda r: F.huber_loss(x, y, reduction=r, delta=0.5),
    "soft margin": lambda r: F.soft_margin_loss(x, signs, reduction=r),
    "bce": lambda r: F.binary_cross_entropy(p, p.detach() / 2, reduction=r),
    "logits": lambda r: F.binary_cross_entropy_with_logits(x, p, reduction=r, pos_weight=p.detach()[0] + 1),
    "mse weight": lambda r: F.mse_loss(x, y, reduction=r, weight=p.detach()),
    "l1 weight": lambda r: F.l1_loss(x, y, reduction=r, weight=p.detach()),
    "huber weight": lambda r: F.huber_loss(x, y, reduction=r, weight=p.detach()),
}
torch.set_printoptions(precision=3, sci_mode=False)
for name, f in losses.items():
    for r in ("none", "mean", "sum"):
        out = f(r)
        print(name, r, out)
        found = torch.autograd.grad(out.sum(), (x, y, p), create_graph=True, allow_unused=True)
        for g in found:
            if g is not None:
                print("  ", g.detach(), g.grad_fn and g.grad_fn.name().replace("DivBackward1", "MulBackward0"))
        squares = sum((g * g).sum() for g in found if g is not None and g.isfinite().all())
        if isinstance(squares, torch.Tensor):
            for h in torch.autograd.grad(squares, (x, y, p), allow_unused=True):
                print("  ", None if h is None else h + 0.0)
