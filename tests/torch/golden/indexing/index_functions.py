import torch

x = torch.arange(9.0).view(3, 3)
i = torch.tensor([0, 2])
print(torch.index_select(x, 1, i), x.index_select(0, i))
print(x.index_add(0, i, torch.ones(2, 3)), x.index_add(1, torch.tensor([0, 0]), torch.ones(3, 2), alpha=2))
print(x.index_copy(0, i, -torch.ones(2, 3)), x.index_fill(1, i, 0))
print(x.index_put((i, i), torch.tensor([50.0, 60.0])))
print(x.index_put((torch.tensor([0, 0]),), torch.ones(3), accumulate=True))
print(torch.take(x, torch.tensor([0, 4, -1])), x.take(torch.tensor([[8, 1]])))
print(torch.take_along_dim(x, torch.tensor([[2], [0], [1]]), dim=1))
for bad in (
    lambda: x.index_select(0, torch.tensor([3])),
    lambda: x.index_select(0, torch.tensor([[0]])),
    lambda: x.index_select(2, i),
    lambda: x.index_add(0, i, torch.ones(3, 3)),
    lambda: x.take(torch.tensor([9])),
    lambda: x.index_fill(0, i.float(), 1),
):
    try:
        print(bad())
    except (IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
