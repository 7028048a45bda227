import torch
from torch.utils.data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        return self.n


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


x = torch.arange(6).reshape(3, 2)
data = TensorDataset(x, torch.tensor([7, 8, 9]))
print(len(data), data[1], data[1:], data[-1])
attempt(lambda: TensorDataset(x, torch.ones(2)))
attempt(lambda: Dataset()[0])
attempt(lambda: len(Dataset()))
both = data + TensorDataset(torch.tensor([5]), torch.tensor([6]))
print(type(both).__name__, len(both), both[3], both[-1], both.cumulative_sizes, type(both))
attempt(lambda: both[-9])
attempt(lambda: both[9])
attempt(lambda: both.cummulative_sizes)
attempt(lambda: ConcatDataset([]))
attempt(lambda: ConcatDataset([Stream(2)]))
chain = Stream(2) + Stream(3)
print(type(chain).__name__, list(chain), len(chain))
attempt(lambda: list(ChainDataset([[1]])))
attempt(lambda: StackDataset())
attempt(lambda: StackDataset([1], a=[2]))
attempt(lambda: StackDataset([1], [2, 3]))
stack = StackDataset(a="abc", b=range(3))
print(stack[1], stack.__getitems__([0, 2]), len(stack), StackDataset("ab", [1, 2]).__getitems__([1]))
nested = StackDataset(Subset("abc", [2, 0]), data.tensors[1][:2])
print(nested[0], nested.__getitems__([1, 0]))
print(Subset("abcd", [3, 1])[0], Subset(x, [2, 0])[[0, 1]], len(Subset("ab", [1])))


class Bad(Subset):
    def __getitem__(self, i):
        return i


class Short:
    def __len__(self):
        return 2

    def __getitems__(self, indices):
        return []


attempt(lambda: Bad("ab", [0]))
attempt(lambda: StackDataset(Short(), "ab").__getitems__([0, 1]))
torch.manual_seed(3)
print([s.indices for s in random_split(range(10), [3, 7])])
print([s.indices for s in random_split(range(10), [0.35, 0.35, 0.3], generator=torch.Generator().manual_seed(1))])
print([len(s) for s in random_split(range(2), [0.5, 0.25, 0.25])])
attempt(lambda: random_split(range(3), [1, 1]))
attempt(lambda: random_split(range(3), [1.5, -0.5]))
