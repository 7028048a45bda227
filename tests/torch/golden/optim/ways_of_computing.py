import torch

lr = torch.tensor(0.125)
w = torch.tensor([1.0, -2.0], requires_grad=True)
w.grad = torch.tensor([0.5, 1.0])
for name in "SGD", "Adam", "AdamW", "RAdam", "Adagrad", "RMSprop", "Rprop", "ASGD", "Adafactor":
    optimizer = getattr(torch.optim, name)([w], lr=lr)
    optimizer.step()
    print(name, [f"{x:.4f}" for x in w.tolist()], optimizer.param_groups[0]["lr"] is lr)

# steps that are recorded
rate = torch.tensor(0.5, requires_grad=True)
for name, options in [("SGD", {}), ("Adam", {}), ("SGD", {"weight_decay": 0.5})]:
    rate.grad = None
    start = torch.tensor([1.0, -2.0], requires_grad=True)
    p = start.clone()
    optimizer = getattr(torch.optim, name)([p], lr=rate, differentiable=True, **options)
    for _ in range(2):
        p.grad = start * 2
        optimizer.step()
    (p * p + p).sum().backward()
    print(name, p.requires_grad, [f"{x:.3f}" for x in start.grad.tolist()], f"{rate.grad.item():.3f}")

# low precision, and one step as a function
for kind in torch.float16, torch.bfloat16:
    p = torch.tensor([1.0, -2.0], dtype=kind, requires_grad=True)
    p.grad = torch.tensor([0.5, 1.0], dtype=kind)
    for name in "SGD", "Adam", "RMSprop":
        optimizer = getattr(torch.optim, name)([p], lr=0.125)
        optimizer.step()
        print(name, p.data, {k: v.dtype for k, v in optimizer.state[p].items()})
p, g, m, v, step = torch.ones(2), torch.ones(2), torch.zeros(2), torch.zeros(2), torch.tensor(0.0)
numbers = {"beta1": 0.5, "beta2": 0.75, "lr": 0.25, "weight_decay": 0.5, "eps": 0.0, "maximize": False}
for f in torch.optim._functional.adam, torch.optim._functional.adamw:
    f([p], [g], [m], [v], [], [step], amsgrad=False, **numbers)
    print([f"{x:.4f}" for x in [*p.tolist(), *m.tolist(), *v.tolist()]], step)
try:
    torch.optim._functional.adam([p], [g], [m], [v], [], [1], amsgrad=False, **numbers)
except RuntimeError as e:
    print(e)
m = torch.nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]]))
m.grad = torch.tensor([[0.5, 0.25], [1.0, -1.0], [0.125, 2.0]])
for options in {}, {"nesterov": False, "adjust_lr_fn": "match_rms_adamw"}:
    optimizer = torch.optim.Muon([m], lr=0.125, **options)
    optimizer.step()
    print([f"{x:.1f}" for x in m.flatten().tolist()], list(optimizer.state[m]))
with torch.no_grad():
    x = torch.ones(2, 2).t().requires_grad_()
x.grad = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
torch.optim.SGD([x], lr=0.5).step()
print(x, x.is_contiguous())
