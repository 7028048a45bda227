import copy

import torch
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    ExponentialLR,
    LRScheduler,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)


def new():
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)


def run(optimizer, schedule, n=9):
    found = []
    for _ in range(n):
        optimizer.step()
        schedule.step()
        found.append(f"{schedule.get_last_lr()[0]:.4f}")
    return found


o = new()
s = SequentialLR(o, [ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9), StepLR(o, 2)], [3, 6])
print(s.last_epoch, s.get_last_lr(), run(o, s, 5))
state = copy.deepcopy(s.state_dict())
print(sorted(state), [x["last_epoch"] for x in state["_schedulers"]])
p = new()
t = SequentialLR(p, [ConstantLR(p, 0.1, 2), ExponentialLR(p, 0.9), StepLR(p, 2)], [3, 6])
t.load_state_dict(state)
p.param_groups[0]["lr"] = o.param_groups[0]["lr"]
print(run(o, s), run(p, t))
o = new()
s = ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)])
print(run(o, s), isinstance(s, LRScheduler), sorted(s.state_dict()))
s.load_state_dict(s.state_dict())
o = new()
s = SequentialLR(o, [ChainedScheduler([ConstantLR(o, 0.1, 2), StepLR(o, 2)]), ExponentialLR(o, 0.9)], [3])
print(run(o, s))
for make in (
    lambda: ChainedScheduler([]),
    lambda: SequentialLR(o, [], []),
    lambda: ChainedScheduler([ReduceLROnPlateau(o)]),
    lambda: SequentialLR(o, [StepLR(o, 1)], [1]),
    lambda: SequentialLR(o, [3], []),
    lambda: ChainedScheduler([StepLR(new(), 1), StepLR(o, 1)]),
):
    try:
        make()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)

for options in {}, {"mode": "max", "threshold_mode": "abs", "threshold": 0.5}, {"cooldown": 2, "min_lr": 0.2}:
    o = new()
    s = ReduceLROnPlateau(o, factor=0.5, patience=1, **options)
    found = []
    for measure in 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 6, 6:
        s.step(torch.tensor(float(measure)))
        found.append((s.get_last_lr()[0], s.num_bad_epochs, s.in_cooldown, s.best))
    print(options, found)
    twin = ReduceLROnPlateau(o)
    twin.load_state_dict(s.state_dict())
    print(twin.mode, twin.threshold, twin.mode_worse, sorted(twin.state_dict()))
o.add_param_group({"params": [torch.zeros(1, requires_grad=True)]})
for _ in range(3):
    s.step(9)
print(s.min_lrs)
s = ReduceLROnPlateau(o, min_lr=[0.0, 0.1], patience=0)
o.add_param_group({"params": [torch.zeros(1, requires_grad=True)]})
for make in (
    lambda: [s.step(i) for i in range(3)],
    lambda: ReduceLROnPlateau(o, factor=1.0),
    lambda: ReduceLROnPlateau(o, mode="x"),
    lambda: ReduceLROnPlateau(o, threshold_mode="x"),
    lambda: ReduceLROnPlateau(o, min_lr=[1.0]),
    lambda: ReduceLROnPlateau(3),
):
    try:
        make()
    except (ValueError, TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
