import torch
from torch.optim import lr_scheduler
from torch.optim.swa_utils import SWALR


class Power:
    def __init__(self, base):
        self.base = base

    def __call__(self, epoch):
        return self.base**epoch


CASES = [
    (lr_scheduler.LambdaLR, Power(0.5)), (lr_scheduler.LambdaLR, [lambda e: 1 / (1 + e), Power(0.25)]),
    (lr_scheduler.MultiplicativeLR, Power(0.75)), (lr_scheduler.StepLR, 3), (lr_scheduler.MultiStepLR, [2, 2, 5]),
    (lr_scheduler.ConstantLR, 0.5, 4), (lr_scheduler.LinearLR, 0.25, 0.75, 4), (lr_scheduler.ExponentialLR, 0.5),
    (lr_scheduler.PolynomialLR, 6, 2), (lr_scheduler.CosineAnnealingLR, 3, 0.01),
    (lr_scheduler.CosineAnnealingWarmRestarts, 3), (lr_scheduler.CosineAnnealingWarmRestarts, 2, 2),
    (lr_scheduler.CyclicLR, 0.01, 0.25, 3, 2), (lr_scheduler.CyclicLR, [0.01, 0.02], 0.25, 2, None, "triangular2"),
    (lr_scheduler.CyclicLR, 0.01, 0.25, 2, None, "exp_range", 0.5),
    (lr_scheduler.CyclicLR, 0.01, 0.25, 2, None, "own", 1.0, Power(0.5), "iterations"),
    (lr_scheduler.OneCycleLR, 0.5, 9), (lr_scheduler.OneCycleLR, [0.5, 1.0], None, 3, 4, 0.25, "linear"),
    (SWALR, 0.05, 3), (SWALR, [0.05, 0.1], 4, "linear"), (SWALR, 0.05, 0),
]  # fmt: skip
for kind, *args in CASES:
    for algorithm in torch.optim.SGD, torch.optim.Adam:
        for lr in 0.25, torch.tensor(0.25):
            for closed in False, True:
                params = [torch.zeros(1, requires_grad=True) for _ in range(2)]
                groups = [{"params": params[:1]}, {"params": params[1:], "lr": lr / 2}]
                optimizer = algorithm(groups, lr=lr)
                schedule = kind(optimizer, *args)
                found = []
                for i in range(8):
                    optimizer.step()
                    schedule.step(*[i] * closed)
                    found.append([f"{float(x):.4f}" for x in schedule.get_last_lr()])
                if closed and isinstance(lr, float):
                    print("closed form", found)
                elif not closed:
                    print(kind.__name__, args if isinstance(args[0], (int, float)) else "", algorithm.__name__, found)
                    state = schedule.state_dict()
                    print(sorted(state.keys() - {"anneal_func"}), type(schedule.get_last_lr()[0]))
                    again = kind(optimizer, *args)
                    again.load_state_dict(state)
                    optimizer.step()
                    again.step()
                    print(again.last_epoch, [f"{float(x):.4f}" for x in again.get_last_lr()])
                    print(optimizer.param_groups[0].get("momentum"), optimizer.param_groups[0].get("betas"))
