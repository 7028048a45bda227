import torch

with torch.inference_mode():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])


def show(what, found):
    print(what, [(t._version, t._is_view()) for t in (found if isinstance(found, tuple) else (found,))])


for shifts in ((1,), (0,), (1, 0), (1, 1)):
    show(f"roll {shifts}", x.roll(*shifts))
    show(f"roll {shifts} of a row", x[0].roll(shifts[0]))
for options in ({}, {"return_inverse": True}, {"return_counts": True}, {"return_inverse": True, "return_counts": True}):
    show(f"unique {options}", x.unique(**options))
    for dim in (0, 1, -1):
        show(f"unique {options} dim {dim}", x.unique(dim=dim, **options))
print(x.unique(dim=0, return_inverse=True, return_counts=True))
