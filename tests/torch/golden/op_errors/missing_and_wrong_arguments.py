import torch

x = torch.ones(2, 2)
for f in (
    lambda: torch.add(x),
    lambda: torch.sum(),
    lambda: x.view("a"),
    lambda: torch.exp(1.0),
    lambda: torch.sin([1.0]),
    lambda: torch.mm(x, 2),
    lambda: x.sum(axis=0, dim=1),
    lambda: torch.zeros(2, foo=1),
    lambda: x.add(1, 2, 3),
    lambda: x.transpose(0),
    lambda: torch.cat(1),
    lambda: x.reshape(),
    lambda: torch.where(x > 0, x),
    lambda: x.masked_fill(x > 0),
    lambda: torch.max(x, "a"),
    lambda: x + "a",
    lambda: x + None,
    lambda: x @ [1, 2],
    lambda: x * {},
    lambda: "a" + x,
    lambda: torch.relu(None),
):
    try:
        print(f())
    except (TypeError, RuntimeError, ValueError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
