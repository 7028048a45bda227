import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
optimizer = torch.optim.Adam([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.25)
for p in a, b:
    p.grad = torch.ones_like(p)
optimizer.step()
state = optimizer.state_dict()
print(list(state), list(state["state"]), [g["params"] for g in state["param_groups"]])
print(state["state"][0])
c, d = torch.ones(2, dtype=torch.float64, requires_grad=True), torch.ones(1, requires_grad=True)
other = torch.optim.Adam([{"params": [c]}, {"params": [d]}])
other.load_state_dict(state)
print(other.param_groups[1]["lr"], other.state[c]["exp_avg"], other.state[c]["step"])
print(other.state[d]["exp_avg"] is optimizer.state[b]["exp_avg"])
for bad in (
    {"state": {}, "param_groups": []},
    {"state": {}, "param_groups": [{"params": [0, 1]}, {"params": [2]}]},
):
    try:
        other.load_state_dict(bad)
    except ValueError as e:
        print(e)
old = optimizer.state_dict()
old["state"] = {k: {**s, "step": 3} for k, s in old["state"].items()}
for g in old["param_groups"]:
    del g["amsgrad"], g["fused"], g["decoupled_weight_decay"]
other.load_state_dict(old)
print(other.state[c]["step"], other.param_groups[0]["amsgrad"], other.param_groups[0]["decoupled_weight_decay"])

calls = []
handles = [
    register_optimizer_step_pre_hook(lambda *x: calls.append("global before")),
    register_optimizer_step_post_hook(lambda *x: calls.append("global after")),
    optimizer.register_step_pre_hook(lambda o, args, kwargs: calls.append(("before", args, kwargs))),
    optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append("after")),
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("saving")),
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("saving, first"), prepend=True),
    optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1}),
    optimizer.register_load_state_dict_pre_hook(lambda o, s: calls.append(("loading", sorted(s)))),
    optimizer.register_load_state_dict_post_hook(lambda o: calls.append("loaded")),
]
print(optimizer.step(closure=lambda: 2.5))
calls[1] = calls[1][0]
optimizer.load_state_dict(optimizer.state_dict())
print(calls)
for handle in handles:
    handle.remove()
calls.clear()
optimizer.step()
print(calls, list(optimizer.state_dict()))
optimizer.register_step_pre_hook(lambda o, args, kwargs: ((args[0], lambda: 7), {}))
print(optimizer.step())
optimizer.register_step_pre_hook(lambda o, args, kwargs: 1)
try:
    optimizer.step()
except RuntimeError as e:
    print(str(e).rpartition("must")[2])
