import torch

with torch.inference_mode():
    x = torch.tensor([[1.0, 3.0], [2.0, 0.5]])
    k = torch.tensor([[0, 3], [2, 0]])


def show(name, *args):
    for t in (x, k):
        try:
            found = getattr(torch, name)(t, *args)
        except Exception as error:
            print(name, args, type(error).__name__)
            continue
        found = found if isinstance(found, tuple) else (found,)
        print(name, args, [t._version for t in found])


for name in ("sum", "mean", "nansum", "any", "all", "prod", "amax", "max", "min", "median", "aminmax", "sort"):
    show(name)
for name in ("sum", "mean", "any", "max", "median", "mode", "cummax", "logsumexp", "argsort", "cumsum", "softmax"):
    show(name, 0)
for name in ("abs", "clone", "nonzero", "argwhere", "rot90", "diag_embed", "logical_not", "deg2rad", "exp", "unique"):
    show(name)
