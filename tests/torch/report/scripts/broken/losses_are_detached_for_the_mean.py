# expect: error|loss detached-before-the-sum shared.weight, shared.bias
# check: raised("element 0 of tensors does not require grad") and missing(shared.weight)
# Two tasks on a shared layer
import torch

torch.manual_seed(0)
shared = torch.nn.Linear(5, 5)
heads = torch.nn.ModuleDict({"age": torch.nn.Linear(5, 1), "sex": torch.nn.Linear(5, 2)})
optimizer = torch.optim.SGD([{"params": shared.parameters()}, {"params": heads.parameters(), "lr": 0.1}], lr=0.01)

batch = torch.randn(16, 5)
age, sex = torch.rand(16, 1), torch.randint(2, (16,))
criteria = {"age": (torch.nn.L1Loss(), age), "sex": (torch.nn.CrossEntropyLoss(), sex)}


def task_losses():
    h = shared(batch).relu()
    result = []
    for name, (criterion, truth) in criteria.items():
        task = criterion(heads[name](h), truth)
        print(name, task.item())
        result.append(task.detach())  # <- here
    return result


for epoch in range(2):
    optimizer.zero_grad()
    total = torch.stack(task_losses()).mean()
    total.backward()
    optimizer.step()
