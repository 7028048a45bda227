# Cross entropy and the negative log likelihood: classes, probabilities, weights, classes that are ignored.
import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
torch.manual_seed(0)
w = torch.tensor([1.0, 2.0, 0.5, 0.25])
for shape in ((4,), (3, 4), (2, 4, 3), (2, 4, 2, 3), (2, 4, 1, 2, 1)):
    x = torch.randn(shape, requires_grad=True)
    targets = (shape[0], *shape[2:]) if len(shape) > 1 else ()
    t = torch.arange(max(1, torch.Size(targets).numel())).reshape(targets) % 4
    q = torch.rand(shape)
    for r in ("none", "mean", "sum"):
        for options in ({}, {"weight": w}, {"weight": w, "ignore_index": 1}, {"label_smoothing": 0.25, "weight": w}):
            loss = F.cross_entropy(x, t, reduction=r, **options)
            (g,) = torch.autograd.grad(loss.sum(), x, create_graph=True)
            (h,) = torch.autograd.grad((g * g).sum(), x)
            print(
                len(shape), r, *options, loss.detach(), loss.grad_fn.name(), g.sum().abs() < 1e-5, h.flatten()[:3] + 0.0
            )
        loss = F.cross_entropy(x, q, reduction=r, label_smoothing=0.125, weight=w)
        print(loss.detach(), loss.grad_fn.name(), torch.autograd.grad(loss.sum(), x)[0].flatten()[:4])
        loss = F.nll_loss(x, t, reduction=r, ignore_index=2)
        (g,) = torch.autograd.grad(loss.sin().sum(), x, create_graph=True)
        print(loss, g.flatten()[:6], g.grad_fn.name())
x, t = torch.randn(3, 4), torch.tensor([0, 3, 1])
print(F.cross_entropy(x, torch.full((3,), -100)), F.cross_entropy(x[:0], t[:0]), F.cross_entropy(x[:0], x[:0]))
print(F.cross_entropy(x, t.to(torch.uint8)).dtype, F.cross_entropy(x.double(), t).dtype)
print(torch.func.vmap(F.cross_entropy)(torch.stack([x, 2 * x]), torch.stack([t, t])))
print(torch.func.vmap(torch.func.grad(lambda x, t: F.cross_entropy(x, t, weight=w)))(x, t))
print(torch.func.jvp(lambda x: F.cross_entropy(x, t), (x,), (x,)))
