import torch
from torch.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
print(list(RandomSampler(range(10))), list(RandomSampler(range(10))))
print(list(RandomSampler(range(4), num_samples=10)))
print(list(RandomSampler(range(1000), replacement=True, num_samples=40)))
g = torch.Generator().manual_seed(5)
print(list(RandomSampler(range(10), generator=g)), list(RandomSampler(range(5), True, generator=g)))
print(list(SubsetRandomSampler([5, 6, 7, 8], generator=g)), len(SubsetRandomSampler([1])))
print(list(WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 8, generator=g)))
print(list(WeightedRandomSampler(torch.tensor([0.1, 0.9, 0.4, 3.0]), 3, replacement=False)))
print(torch.rand(1))
print(list(SequentialSampler("abc")), len(RandomSampler("abc")), len(WeightedRandomSampler([1.0], 4)))
for drop in (False, True):
    batches = BatchSampler(SequentialSampler(range(7)), 3, drop)
    print(list(batches), len(batches))
for replicas, n, drop in ((3, 10, False), (3, 10, True), (4, 2, False), (2, 10, True)):
    for rank in (0, replicas - 1):
        sampler = DistributedSampler(range(n), replicas, rank, drop_last=drop, seed=2)
        sampler.set_epoch(1)
        print(
            list(sampler), len(sampler), sampler.total_size, list(DistributedSampler(range(n), replicas, rank, False))
        )
attempt(lambda: DistributedSampler(range(3), 2, 2))
attempt(lambda: next(iter(Sampler())))
attempt(lambda: RandomSampler([]))
attempt(lambda: RandomSampler([1], replacement=1))
attempt(lambda: RandomSampler([1], num_samples=2.5))
attempt(lambda: WeightedRandomSampler([1.0], True))
attempt(lambda: WeightedRandomSampler([1.0], 1, replacement=0))
attempt(lambda: WeightedRandomSampler([[1.0]], 1))
attempt(lambda: BatchSampler(range(3), 0, False))
attempt(lambda: BatchSampler(range(3), 2, None))
