import random
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        if i == 5:
            raise KeyError("no five")
        time.sleep(0.02 * (i == 0))  # the first worker is late
        return i


class Draws(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        info = get_worker_info()
        drawn = random.randrange(10**6), int(np.random.randint(10**6)), int(torch.randint(10**6, ()))
        return info.id, info.num_workers, info.seed - info.id, torch.get_num_threads(), *drawn


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, 5, info.num_workers))

    def __len__(self):
        return 1

    def __repr__(self):
        return "Stream"


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def start(i):
    get_worker_info().dataset.tensors[0][0] = 100 + i


def fail(kind):
    def f(i):
        raise kind

    return f


torch.manual_seed(4)
data = TensorDataset(torch.arange(7.0))
loader = DataLoader(data, batch_size=2, shuffle=True, num_workers=2)
print([b[0].tolist() for b in loader], [b[0].tolist() for b in loader], torch.rand(1))
loader = DataLoader(data, batch_size=3, shuffle=True, num_workers=2, persistent_workers=True, prefetch_factor=1)
print([b[0].tolist() for b in loader], [b[0].tolist() for b in loader], torch.rand(1))
print([b[0].tolist() for b in DataLoader(data, num_workers=2, worker_init_fn=start)])
print(list(DataLoader(Draws(), batch_size=None, num_workers=2, generator=torch.Generator().manual_seed(1))))
batches = iter(DataLoader(Numbers(), num_workers=2))
print([next(batches) for _ in range(5)])
attempt(lambda: next(batches))
attempt(lambda: next(batches))
print(list(DataLoader(Stream(), num_workers=2, batch_size=2)))
loader = DataLoader(Stream(), num_workers=2, persistent_workers=True)
print(list(loader), list(loader))
loader = DataLoader(Stream(), num_workers=2)
print(len(loader), list(loader))
attempt(lambda: list(DataLoader(data, num_workers=1, worker_init_fn=fail(ValueError("start")))))
attempt(lambda: list(DataLoader(data, num_workers=1, collate_fn=fail(UnicodeError(1, 2)))))
attempt(lambda: list(DataLoader(data, num_workers=1, timeout=0.2, worker_init_fn=lambda i: time.sleep(1))))
