import torch

with torch.inference_mode():
    inputs = [torch.tensor([[1.0, 2.0, 4.0]]).to(d) for d in (torch.float32, torch.float64, torch.bfloat16)]
    inputs += [torch.tensor([[1.0, 2.0], [4.0, 7.0]]), torch.tensor([1.0, 3.0], dtype=torch.float64)]
    inputs += [torch.tensor([[1j, 2.0], [4.0, 7.0]])]

for x in inputs:
    print(x.dtype, list(x.shape))
    for name in ("var", "std", "var_mean", "std_mean"):
        for options in ({}, {"keepdim": True}, {"dim": -1}, {"dim": 0, "correction": 0}):
            found = getattr(torch, name)(x, **options)
            print(" ", name, options, [t._version for t in (found if isinstance(found, tuple) else (found,))])

for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
    try:
        print(torch.ldexp(torch.tensor([-1.0, 1.0]).to(dtype), torch.zeros(2, dtype=torch.bool)))
    except NotImplementedError as error:
        print(error)
print(torch.arange(0).floor_divide(0), torch.arange(0) % 0)
