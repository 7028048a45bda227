import copy

import torch

for name, options in [
    ("Adam", {}), ("AdamW", {}), ("NAdam", {}), ("RAdam", {}), ("Adamax", {}), ("Adagrad", {}), ("Adadelta", {}),
    ("RMSprop", {}), ("Rprop", {}), ("ASGD", {}), ("Adafactor", {}), ("SGD", {"momentum": 0.5}), ("LBFGS", {}),
]:  # fmt: skip
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = getattr(torch.optim, name)([w], lr=0.25, **options)

    def closure(w=w, optimizer=optimizer):
        optimizer.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    state = copy.deepcopy(optimizer.state_dict())
    for s in state["state"].values():
        for key in "step", "mu_product", "eta", "mu":
            if key in s:
                s[key] = s[key].item()
    for key in "foreach", "differentiable", "capturable", "fused", "amsgrad", "decoupled_weight_decay":
        state["param_groups"][0].pop(key, None)
    again = getattr(torch.optim, name)([w], **options)
    again.load_state_dict(state)
    print(name, sorted(again.param_groups[0].items(), key=lambda item: item[0])[:4])
    print(again.param_groups[0].get("decoupled_weight_decay"), again.state[w].get("step"), again.state[w].get("mu"))
    again.step(closure)
    print([f"{x:.4f}" for x in w.tolist()])

named = torch.optim.SGD([("w", w)], lr=0.5)
plain = torch.optim.SGD([w], lr=0.25)
saved = plain.state_dict()
saved["state"] = {5: {"kept": 1}, 0: {"nested": {"a": [torch.ones(2, dtype=torch.float64)]}, "text": 3}}
named.load_state_dict(saved)
print(named.param_groups[0]["param_names"], named.param_groups[0]["lr"], named.state[5], named.state[w])
named.register_load_state_dict_pre_hook(lambda o, s: {**s, "state": {}})
named.load_state_dict(saved)
print(dict(named.state))
w.grad = (w * 2).sum() * torch.ones(2)
named.zero_grad(set_to_none=False)
print(w.grad, w.grad.requires_grad)
adagrad = torch.optim.Adagrad([w])
adagrad.share_memory()
print(adagrad.state[w]["sum"].is_shared())
lists = [torch.ones(2)], [torch.ones(2)], []
torch.optim._functional.sgd(*lists, weight_decay=0, momentum=0, lr=0.5, dampening=0, nesterov=False, maximize=False)
print(lists[0])
steps = torch.ones(2, requires_grad=True)
p = steps * 1
recorded = torch.optim.Adam([p], lr=0.5, differentiable=True)
p.grad = torch.ones(2)
recorded.state[p] = {"step": torch.tensor(1.0, requires_grad=True), "exp_avg": p, "exp_avg_sq": p}
for make in (
    lambda: recorded.step(),
    lambda: torch.optim.Adam([w], betas=(torch.ones(2) / 2, torch.ones(2) / 2)),
    lambda: torch.optim.Muon([torch.ones(2, 2, requires_grad=True)], lr=torch.ones(2)),
    lambda: torch.optim.SparseAdam([w], lr=torch.ones(2)),
    lambda: torch.optim.SparseAdam([w]).step(lambda: 3.5) if w.grad is None else w.grad,
):
    try:
        print(make())
    except Exception as e:
        print(type(e).__name__, e)
w.grad = None
print(torch.optim.SparseAdam([w]).step(lambda: 3.5))
