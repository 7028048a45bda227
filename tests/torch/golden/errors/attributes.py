import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for name in (
    "is_leaf",
    "grad_fn",
    "_version",
    "shape",
    "dtype",
    "output_nr",
    "device",
    "layout",
    "is_sparse",
    "T",
    "ndim",
):
    try:
        setattr(x, name, None)
        print(name, "set")
    except (AttributeError, RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
for name in ("nothing", "gradient", "size_"):
    try:
        getattr(x, name)
    except AttributeError as e:
        print(e)
x.note = "kept"
print(x.note, hasattr(x * 1, "note"))
