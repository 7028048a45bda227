import numpy as np
import torch
from torch.utils.dlpack import to_dlpack


def tell(f):
    try:
        print(f())
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, e)


x, bools = torch.arange(6.0).reshape(2, 3), torch.zeros(2, dtype=torch.bool)
for f, bounds in ((torch.linspace, (0, 3, 4)), (torch.logspace, (0, 3, 4)), (torch.arange, (4,))):
    into = torch.zeros(2, 3)
    f(*bounds, out=into.narrow(1, 1, 2))
    print(into)
    tell(lambda f=f, b=bounds: f(*b, out=torch.zeros(1).expand(4)))
for f in (torch.linspace, torch.logspace):
    tell(lambda f=f: f(0, 1j, 5, dtype=torch.float32))
    tell(lambda f=f: f(0, 1j, 3, out=torch.zeros(3)))
for f in (torch.all, torch.any):
    for dtype in (torch.bool, torch.uint8, torch.int64, torch.float32):
        tell(lambda f=f, d=dtype: f(x, 0, out=torch.empty(3, dtype=d)))
        tell(lambda f=f, d=dtype: f(x.to(torch.uint8), out=torch.empty((), dtype=d)))
for f in (torch.max, torch.min, torch.cummax, torch.cummin):
    for dtypes in ((torch.int32, torch.int64), (torch.float32, torch.float32), (torch.float64, torch.int64)):
        tell(lambda f=f, ds=dtypes: f(x, 0, out=tuple([torch.empty(0, dtype=d) for d in ds])))
for f in (torch.amax, torch.amin):
    tell(lambda f=f: f(x, 0, out=torch.empty(3, dtype=torch.float64)))
for dtype, flag in ((torch.float32, False), (torch.int32, False), (torch.int64, True), (torch.int32, True)):
    tell(lambda d=dtype, flag=flag: torch.searchsorted(x[0], x[0], out_int32=flag, out=torch.empty(3, dtype=d)))
    tell(lambda d=dtype, flag=flag: torch.bucketize(x[0], x[0], out_int32=flag, out=torch.empty(3, dtype=d)))
for sorter in (torch.zeros(3), torch.tensor([0, 1, 5]), torch.tensor([0, 1, 2])):
    tell(lambda s=sorter: torch.searchsorted(x[0], x[0], sorter=s))
torch.manual_seed(0)
for dtype in (torch.int32, torch.bool, torch.float64):
    tell(lambda d=dtype: torch.bernoulli(torch.full((2, 3), 0.5), out=torch.zeros(4, dtype=d)))
tell(lambda: torch.bernoulli(torch.full((3,), 0.5, requires_grad=True), out=torch.zeros(3)))
index, mask = torch.tensor([2, 1, 0]), torch.tensor([True, False, True, True])
tell(lambda: index.index_fill_(0, index, 0))
tell(lambda: mask[1:].masked_fill_(mask[:-1], False))
tell(lambda: mask.masked_fill_(mask, False))
tell(lambda: torch.nonzero_static(torch.tensor([8]), size=-2))
tell(lambda: torch.use_deterministic_algorithms(False, warn_only=1))
tell(lambda: torch.asarray(np.float64(0.5), copy=False))
tell(lambda: torch.asarray(to_dlpack(torch.arange(3)), dtype=torch.float32))
tell(lambda: torch.asarray(to_dlpack(torch.arange(3)), dtype=torch.float32, copy=False))
for f in (
    lambda: torch.add(bools, bools, alpha=2),
    lambda: bools.add_(bools, alpha=0),
    lambda: torch.add(bools, True, alpha=0),
):
    tell(f)
for f in (torch.sum, torch.prod, torch.mean, torch.softmax, torch.cumsum, torch.cumprod):
    for dtype in (torch.float32, torch.float64):
        tell(lambda f=f, d=dtype: f(x, 0, dtype=torch.float64, out=torch.empty(0, dtype=d)).dtype)
tell(lambda: torch.empty([0, 4, 2305843009213693952]))
inf = float("inf")
tell(lambda: torch.logsumexp(torch.tensor([[complex(-inf, 0)] * 2, [complex(inf, 0), 1]]), 1))
tell(lambda: torch.tensor([1.0, 0.6, 0.3, -0.6], dtype=torch.bfloat16).hardshrink(0.6).float())
tell(lambda: torch.histogram(x[0], torch.tensor([1.0], dtype=torch.float64)))
tell(lambda: torch.histogram(x[0], 1, weight=torch.ones(3, dtype=torch.int64)))
tell(lambda: torch.histogram(x[0], torch.tensor([])))
