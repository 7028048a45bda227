import torch

x = torch.ones(2)
for f in (
    lambda: torch.add(x, "a"),
    lambda: torch.dot(x, 1),
    lambda: x.clamp("a"),
    lambda: torch.ones(2, dtype="float"),
    lambda: x.sum("a"),
    lambda: torch.stack(x, 0, 1),
    lambda: x.to("float32"),
    lambda: x.permute("a"),
):
    try:
        print(f())
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
