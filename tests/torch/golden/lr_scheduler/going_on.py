import torch
from torch.optim import lr_scheduler as lrs
from torch.optim import swa_utils

CASES = {
    "step": lambda o, last: lrs.StepLR(o, 2, last_epoch=last),
    "cosine": lambda o, last: lrs.CosineAnnealingLR(o, 4, 0.1, last_epoch=last),
    "exponential": lambda o, last: lrs.ExponentialLR(o, 0.5, last_epoch=last),
    "linear": lambda o, last: lrs.LinearLR(o, 0.5, total_iters=6, last_epoch=last),
    "polynomial": lambda o, last: lrs.PolynomialLR(o, 6, last_epoch=last),
    "factor": lambda o, last: lrs.MultiplicativeLR(o, lambda epoch: 0.5, last_epoch=last),
    "cycle": lambda o, last: lrs.CyclicLR(o, 0.1, 1.0, 2, cycle_momentum=False, last_epoch=last),
    "three phases": lambda o, last: lrs.OneCycleLR(o, 1.0, 10, three_phase=True, last_epoch=last),
    "no momentum": lambda o, last: lrs.OneCycleLR(o, 1.0, 10, cycle_momentum=False, last_epoch=last),
}
for name, make in CASES.items():
    found = []
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.8, momentum=0.5)
    schedule = make(optimizer, -1)
    for epoch in range(9):
        if epoch == 4:
            schedule = make(optimizer, schedule.last_epoch)
        optimizer.step()
        schedule.step()
        found.append((f"{schedule.get_last_lr()[0]:.4f}", round(optimizer.param_groups[0]["momentum"], 4)))
    print(name, found)
schedule = lrs.OneCycleLR(optimizer, 1.0, 2)
for _ in range(3):
    try:
        schedule.step()
    except ValueError as e:
        print(e)
schedule = lrs.ReduceLROnPlateau(optimizer, patience=0, min_lr=0.01)
optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)], "lr": torch.tensor(0.5)})
for _ in range(3):
    schedule.step(1.0)
print([f"{float(g['lr']):.4f}" for g in optimizer.param_groups], schedule.min_lrs)

model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3, momentum=0.25))
with torch.no_grad():
    model[0].weight.copy_(torch.arange(6.0).view(3, 2))
    model[0].bias.fill_(1.0)
model.eval()
batches = [torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[0.0, 2.0], [2.0, -2.0]])]
for loader in batches, [(b, 0) for b in batches]:
    swa_utils.update_bn(loader, model, device="cpu")
    print(model[1].running_mean, model[1].running_var, model[1].momentum, model.training, model[1].num_batches_tracked)
