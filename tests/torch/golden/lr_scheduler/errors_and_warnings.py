import torch
from torch.optim import lr_scheduler as lrs
from torch.optim.swa_utils import SWALR


def new(**options):
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, **options)


o = new()
plain = torch.optim.Adagrad([torch.zeros(1, requires_grad=True)])
for make in (
    lambda: lrs.StepLR(3, 1), lambda: lrs.StepLR(o, 1, last_epoch=2), lambda: lrs.LambdaLR(o, [abs, abs]),
    lambda: lrs.MultiplicativeLR(o, 3), lambda: lrs.ConstantLR(o, 2.0), lambda: lrs.LinearLR(o, 0),
    lambda: lrs.LinearLR(o, 0.5, 2.0), lambda: lrs.CosineAnnealingWarmRestarts(o, 0),
    lambda: lrs.CosineAnnealingWarmRestarts(o, 2, 0.5), lambda: lrs.CosineAnnealingWarmRestarts(o, 2, 1, "x"),
    lambda: lrs.CosineAnnealingWarmRestarts(o, 2).step(-1), lambda: lrs.CyclicLR(o, 0.1, 1.0, mode="x"),
    lambda: lrs.CyclicLR(o, [0.1, 0.2], 1.0), lambda: lrs.CyclicLR(plain, 0.1, 1.0), lambda: lrs.CyclicLR(3, 0.1, 1.0),
    lambda: lrs.OneCycleLR(3, 0.1, 2), lambda: lrs.OneCycleLR(o, 0.1), lambda: lrs.OneCycleLR(o, 0.1, -1),
    lambda: lrs.OneCycleLR(o, 0.1, epochs=2.5, steps_per_epoch=1), lambda: lrs.OneCycleLR(o, 0.1, 5, pct_start=2),
    lambda: lrs.OneCycleLR(o, 0.1, epochs=2, steps_per_epoch=0), lambda: lrs.OneCycleLR(plain, 0.1, 3),
    lambda: lrs.OneCycleLR(o, 0.1, 5, anneal_strategy="x"), lambda: [lrs.OneCycleLR(o, 0.1, 1).step() for _ in "ab"],
    lambda: SWALR(o, 0.1, anneal_strategy="x"), lambda: SWALR(o, 0.1, -1), lambda: SWALR(o, [0.1, 0.2]),
    lambda: lrs.LRScheduler(o), lambda: lrs.StepLR(torch.optim.SGD([torch.zeros(1, requires_grad=True)]), 1, 1, 0),
):  # fmt: skip
    try:
        print(type(make()).__name__)
    except Exception as e:
        print(type(e).__name__, e)
o = new()
s = lrs.StepLR(o, 2)
s.step()
s.step(3)
print(s.get_lr(), s.get_last_lr(), lrs.EPOCH_DEPRECATION_WARNING[:20])
o = new()
s = lrs.StepLR(o, 2)
o.step = lambda: None
s.step()
o = new()
lrs.ReduceLROnPlateau(o).step(1.0, 3)
lrs.CosineAnnealingWarmRestarts(o, 2).get_lr()
print(o.step.__name__, isinstance(s, lrs._LRScheduler), lrs.StepLR, lrs.SequentialLR, SWALR)
s = lrs.CosineAnnealingWarmRestarts(o, 2, 3)
for epoch in 0.5, 1.75, 2.5, 9, None, 0:
    s.step(epoch)
    print(s.last_epoch, s.T_i, round(s.T_cur, 4), f"{s.get_last_lr()[0]:.4f}")
