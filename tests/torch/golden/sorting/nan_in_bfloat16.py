"""bfloat16 with nan is sorted as other floats are."""

import torch

x = torch.tensor([float("nan"), 1.0, -1.0, float("nan"), 0.0], dtype=torch.bfloat16)
for f in (
    torch.sort,
    torch.msort,
    torch.argsort,
    torch.median,
    torch.nanmedian,
    torch.unique,
    torch.max,
    torch.argmax,
    lambda x: x.sort(descending=True),
    lambda x: x.topk(3),
    lambda x: x.kthvalue(3),
    lambda x: x.nanmedian(0),
    lambda x: x.median(0),
    lambda x: x.cummax(0),
    lambda x: torch.func.vmap(lambda x: x.sort()[0])(x[None]),
    lambda x: torch.func.vmap(lambda x: x.kthvalue(2)[0])(x[None]),
):
    print(f(x), f(torch.cat([x] * 5)))
