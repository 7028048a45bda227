import torch

w, other = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
w.grad, other.grad = torch.ones(2), torch.full((2,), 2.0)
optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)
swap = torch.optim.swap_in_optimizer_params_and_state
GIVEN = [
    3, {}, {"state": 3}, {"state": {w: {}}}, {"state": {0: 3}}, {"state": {}, "param_groups": 3},
    {"state": {}, "param_groups": []}, {"state": {}, "param_groups": [3]}, {"state": {}, "param_groups": [{}]},
    {"state": {}, "param_groups": [{"params": [0, 1]}]}, {"state": {}, "param_groups": [{"params": [0], "x": 1}]},
]  # fmt: skip


def tried(parameters, state):
    try:
        with swap(optimizer, parameters, state):
            print(optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["params"][0] is other)
            optimizer.step()
    except RuntimeError as e:
        print(e)


tried({"w": other}, optimizer.state_dict())
optimizer.step()
for given in GIVEN:
    tried({"w": other}, given)
state = optimizer.state_dict()
tried({}, state)
tried({"w": other}, {**state, "state": {**state["state"], 7: {}}})
state["param_groups"][0]["lr"] = 0.25
tried({"w": other}, state)
print(w, other, optimizer.param_groups[0]["lr"], optimizer.state[w], other in optimizer.state)
