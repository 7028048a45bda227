import copy
import pickle

import torch
from torch.optim.optimizer import required

a, b, c = [torch.tensor([float(i), 1.0], requires_grad=True) for i in range(3)]
optimizer = torch.optim.SGD([{"params": a}, {"params": [b], "lr": 0.5, "note": "kept"}], lr=0.25, momentum=0.5)
print(optimizer)
optimizer.add_param_group({"params": [c], "weight_decay": 0.5})
print(len(optimizer.param_groups), optimizer.param_groups[2]["weight_decay"], sorted(optimizer.defaults))
for p in a, b:
    p.grad = torch.ones(2)
print(optimizer.step(), a, b, c, sorted(optimizer.state[b]), c in optimizer.state)
optimizer.zero_grad(set_to_none=False)
print(a.grad, c.grad)
optimizer.zero_grad()
print(a.grad)
for make in (
    lambda: torch.optim.SGD([], 0.1),
    lambda: torch.optim.SGD(a, 0.1),
    lambda: torch.optim.SGD([a * 1], 0.1),
    lambda: torch.optim.SGD([1, 2], 0.1),
    lambda: torch.optim.SGD(["w"], 0.1),
    lambda: torch.optim.SGD([{"params": {a, b}}], 0.1),
    lambda: torch.optim.SGD([{"params": [a]}, {"params": [a, b]}], 0.1),
    lambda: torch.optim.SGD([("a", a), b], 0.1),
    lambda: optimizer.add_param_group([c]),
    lambda: optimizer.add_param_group({"params": [("name", torch.ones(1))]}),
    lambda: optimizer.add_param_group({"lr": 1.0}),
    lambda: torch.optim.Optimizer([a], {"lr": required}),
    lambda: torch.optim.SGD([a, a], 0.1),
):
    try:
        print(make())
    except Exception as e:
        print(type(e).__name__, e)
named = torch.optim.Adam([("first", a), ("second", b)])
print(named.param_groups[0]["param_names"], named.state_dict()["param_groups"][0]["param_names"])
print(required, torch.optim.Adam, torch.optim.Adafactor, torch.optim.Optimizer)


class Mine(torch.optim.Optimizer):
    def __init__(self, params, lr=0.5):
        super().__init__(params, {"lr": lr})


try:
    Mine([a]).step()
except NotImplementedError as e:
    print("NotImplementedError", e)
twin = copy.deepcopy(optimizer)
print(twin.param_groups[0]["params"][0] is a, twin.param_groups[0]["params"][0], len(twin.state))
again = pickle.loads(pickle.dumps(optimizer))
print(again.param_groups[1]["note"], again.state[again.param_groups[0]["params"][0]], type(again) is torch.optim.SGD)
