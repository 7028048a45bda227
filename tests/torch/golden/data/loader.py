import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, n, said=None):
        self.n, self.said = n, n if said is None else said

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        return self.said

    def __repr__(self):
        return "Stream"


class Words(Dataset):
    def __getitem__(self, key):
        return key * 2

    def __len__(self):
        return 3


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


data = TensorDataset(torch.arange(7), torch.arange(7) ** 2)
torch.manual_seed(0)
for options in ({}, {"batch_size": 3}, {"batch_size": 3, "drop_last": True}, {"batch_size": None}):
    loader = DataLoader(data, **options)
    print(len(loader), [tuple(b) for b in loader])
loader = DataLoader(data, batch_size=4, shuffle=True)
print([b[0].tolist() for b in loader], [b[0].tolist() for b in loader], torch.rand(2))
loader = DataLoader(data, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(9))
print([b[0].tolist() for b in loader], [b[0].tolist() for b in loader], torch.rand(2))
print(list(DataLoader(Words(), sampler=["a", "b"], batch_size=2)))
print(list(DataLoader(Words(), batch_sampler=[[0], [1, 2]])))
print(list(DataLoader([1, 2, 3], batch_size=2, collate_fn=sum)))
print(list(DataLoader(Stream(5), batch_size=2)), list(DataLoader(Stream(5), batch_size=2, drop_last=True)))
print(list(DataLoader(Stream(2), batch_size=None)), len(DataLoader(Stream(5), batch_size=2)))
short = DataLoader(Stream(3, said=1))
print(len(short), list(short))
print(list(DataLoader(data, batch_size=7, pin_memory=True)))
print(list(DataLoader([1], pin_memory=True, pin_memory_device="cuda")))
print(get_worker_info(), loader.batch_size, type(loader.sampler).__name__, type(loader.batch_sampler).__name__)
print(type(iter(loader)).__name__, len(iter(loader)), type(loader))
attempt(lambda: setattr(loader, "batch_size", 2))
attempt(lambda: setattr(loader, "dataset", 2))
for options in (
    {"num_workers": -1},
    {"timeout": -1},
    {"prefetch_factor": 2},
    {"prefetch_factor": -1, "num_workers": 1},
    {"persistent_workers": True},
    {"sampler": [1], "shuffle": True},
    {"batch_sampler": [[1]], "batch_size": 2},
    {"batch_size": None, "drop_last": True},
    {"batch_size": 0},
    {"multiprocessing_context": "fork"},
    {"multiprocessing_context": 3, "num_workers": 1},
    {"multiprocessing_context": "no", "num_workers": 1},
    {"drop_last": None},
):
    attempt(lambda: DataLoader(data, **options))
attempt(lambda: DataLoader(Stream(1), shuffle=True))
attempt(lambda: DataLoader(Stream(1), sampler=[1]))
attempt(lambda: DataLoader(Stream(1), batch_sampler=[[1]]))
attempt(lambda: DataLoader([], shuffle=True))
attempt(lambda: list(DataLoader(data, timeout=1)))
attempt(lambda: list(DataLoader([1, "a"], batch_size=2)))
