import torch

x = torch.tensor([[1], [2]])
print(x.expand(2, 3), x.expand(2, 3).stride(), x.repeat(1, 3), x.repeat(2, 1, 2).shape, x.tile((3,)), x.tile(2, 1))
print(x.repeat_interleave(2), x.repeat_interleave(2, dim=1), torch.repeat_interleave(torch.tensor([2, 0, 1])))
print(x.repeat_interleave(torch.tensor([1, 3]), dim=0))
print(torch.broadcast_tensors(x, torch.arange(3))[1], torch.broadcast_shapes((2, 1), (3,)))
y = torch.ones(2, requires_grad=True)
(y.repeat(3) * torch.arange(6.0)).sum().backward()
print(y.grad, y.repeat(2), y.repeat_interleave(2))
for bad in (
    lambda: x.repeat(2),
    lambda: x.expand(3, 3),
    lambda: x.expand(2, -1, 3),
    lambda: x.expand(2),
    lambda: torch.broadcast_shapes((2,), (3,)),
    lambda: torch.broadcast_tensors(torch.ones(2), torch.ones(3)),
    lambda: x.expand(-1, -1, 2),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
