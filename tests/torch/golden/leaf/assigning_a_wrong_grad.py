import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for value in (
    torch.ones(3),
    torch.ones(2, dtype=torch.float64),
    torch.ones(1, 2),
    1.0,
    x,
    [1.0, 2.0],
    torch.ones(2).long(),
):
    try:
        x.grad = value
        print("taken", x.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
x.grad = None
print(x.grad)
for dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32):
    try:
        torch.zeros(2).grad = torch.zeros(2, dtype=dtype)
    except RuntimeError as e:
        print(str(e).split(" to a tensor")[0])
