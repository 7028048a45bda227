import torch
from torch.optim import swa_utils

torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
model.register_buffer("seen", torch.tensor([1.0]))
CASES = [
    {}, {"use_buffers": True}, {"avg_fn": swa_utils.get_ema_avg_fn(0.5)}, {"avg_fn": swa_utils.get_swa_avg_fn()},
    {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)}, {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()},
    {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5), "use_buffers": True},
]  # fmt: skip
for options in CASES:
    averaged = swa_utils.AveragedModel(model, device="cpu", **options)
    for value in 1.0, 2.0, 6.0, 7.0:
        with torch.no_grad():
            model.weight.fill_(value)
            model.bias.fill_(-value)
            model.seen.fill_(value / 2)
        averaged.update_parameters(model)
    print(sorted(options), averaged.n_averaged, [f"{p.item():.4f}" for p in averaged.parameters()])
    print(averaged.module.seen, averaged(torch.ones(1, 1)).shape, list(averaged.state_dict()))
integers = [torch.tensor([4])], [torch.tensor([8])]
swa_utils.get_ema_multi_avg_fn(0.5)(*integers, 1)
print(integers)
for make in (
    lambda: swa_utils.get_ema_avg_fn(2),
    lambda: swa_utils.get_ema_multi_avg_fn(-1),
    lambda: swa_utils.AveragedModel(model, avg_fn=abs, multi_avg_fn=abs),
):
    try:
        make()
    except Exception as e:
        print(type(e).__name__, e)
swa_utils.update_bn([torch.ones(2, 1)], model)
