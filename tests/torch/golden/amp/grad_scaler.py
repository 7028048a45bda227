import pickle

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for kind, options in [(torch.optim.SGD, {}), (torch.optim.SGD, {"fused": True}), (torch.optim.Adam, {"fused": True})]:
    optimizer = kind([w], lr=0.25, **options)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    for factor in 1.0, float("inf"), 1.0, 1.0, float("nan"):
        optimizer.zero_grad()
        loss = (w * factor).sum()
        scaler.scale(loss).backward()
        before = w.grad.clone()
        print(before, scaler.step(optimizer), w.grad, end=" ")
        scaler.update()
        print([f"{x:.3f}" for x in w.tolist()], scaler.get_scale(), scaler.state_dict()["_growth_tracker"])
    print(scaler.state_dict(), len(optimizer.state), [s.get("step") for s in optimizer.state.values()])

optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
print(scaler.is_enabled(), scaler.get_scale(), scaler.get_growth_factor(), scaler.get_backoff_factor())
for make in (
    lambda: scaler.step(optimizer),
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.update(),
    lambda: scaler.scale(3),
    lambda: torch.amp.GradScaler("cpu", growth_factor=1.0),
    lambda: torch.amp.GradScaler("cpu", backoff_factor=1.0),
    lambda: scaler.load_state_dict({}),
    lambda: scaler.scale((w * 2, [w])),
    lambda: scaler.step(optimizer, closure=None),
):
    try:
        print(make())
    except Exception as e:
        print(type(e).__name__, e)
scaler.scale((w * w).sum()).backward()
scaler.unscale_(optimizer)
print(w.grad / w)
for make in (
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.step(optimizer),
    lambda: scaler.step(optimizer),
    lambda: scaler.unscale_(optimizer),
    lambda: pickle.dumps(scaler),
    lambda: scaler.update(torch.ones(2)),
    lambda: scaler.update(16.0),
    lambda: scaler.update(torch.tensor(2.0)),
    lambda: scaler.get_scale(),
):
    try:
        print(make())
    except Exception as e:
        print(type(e).__name__, e)
w.grad = None
try:
    scaler.step(optimizer)
except AssertionError as e:
    print(e)
again = torch.amp.GradScaler("cpu")
again.load_state_dict(scaler.state_dict())
scaler.update(2.0)
print(again.state_dict(), pickle.loads(pickle.dumps(again)).get_scale())
scaler.set_growth_factor(3.0)
scaler.set_backoff_factor(0.25)
scaler.set_growth_interval(5)
print(scaler.state_dict(), scaler.get_growth_interval())
off = torch.amp.GradScaler("cpu", enabled=False)
print(off.scale(w) is w, off.get_scale(), off.state_dict(), off.unscale_(optimizer), off.update(), off.step(optimizer))
off.load_state_dict({})
half = torch.ones(2, dtype=torch.float16, requires_grad=True)
optimizer = torch.optim.SGD([half], lr=0.5)
scaler.scale(half.sum()).backward()
try:
    scaler.step(optimizer)
except ValueError as e:
    print(e)
print(torch.amp.GradScaler().is_enabled())
