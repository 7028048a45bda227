"""What does not fit pooling, unfold, fold and shuffles."""

import torch
import torch.nn.functional as F

o = torch.ones


def attempt(name, f, *args, **kwargs):
    try:
        found = f(*args, **kwargs)
        print(name, tuple(found.shape))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as e:
        print(name, type(e).__name__, e)


for n in (1, 2, 3):
    x = o(2, 3, *(8,) * n)
    for name in ("max", "avg"):
        f = getattr(F, f"{name}_pool{n}d")
        for args in (
            (3, 2, 2),
            (9,),
            (0,),
            (2, 0),
            (2, 1, -1),
            ((2,) * (n + 1),),
            (2, (2,) * (n + 1)),
            (2, 2, (1,) * (n + 1)),
        ):
            attempt((name, n, args), f, x, *args)
        for other in (
            o(8),
            o(2, 0, *(8,) * n),
            o(2, 3, 0, *(8,) * (n - 1)),
            x.bool(),
            x.to(torch.complex64),
            o(1, *x.shape),
        ):
            attempt((name, n, tuple(other.shape)), f, other, 2)
        if name == "max":
            attempt("dilation", f, x, 2, 1, 0, 0)
            attempt("dilation", f, x, 2, 1, 0, (2,) * (n + 1))
        elif n > 1:
            attempt("divisor", f, x, 2, divisor_override=0)
        g = getattr(F, f"adaptive_{name}_pool{n}d")
        for size in (-1, (3,) * (n + 1), 0):
            attempt(("adaptive", name, n, size), g, x, size)
        for other in (o(2, 0, *(8,) * n), o(2, 3, 0, *(8,) * (n - 1)), x.long(), o(1, 1, *x.shape)):
            attempt(("adaptive", name, n, tuple(other.shape)), g, other, 3)
    values, places = getattr(F, f"max_pool{n}d")(x, 2, return_indices=True)
    unpool = getattr(F, f"max_unpool{n}d")
    attempt("unpool", unpool, values, places.int(), 2)
    attempt("unpool", unpool, values[:1, :1], places[:1, :1] + 1000, 2)
    attempt("unpool", unpool, values, places[..., :1], 2)
    for size in ((12,) * n, (9,) * (n + 3)):
        attempt("unpool", unpool, values, places, 2, output_size=size)
attempt("unpool", F.max_unpool1d, o(2), o(2).long(), 2)
attempt("unpool", F.max_unpool3d, values, places, 2, 0)
for n in (2, 3):
    x, f = o(2, 3, *(8,) * n), getattr(F, f"fractional_max_pool{n}d")
    attempt("fractional", f, x, 2)
    attempt("fractional", f, x, 2, output_size=8)
    attempt("fractional", f, x, (2,) * (n + 1), output_size=3)
    attempt("fractional", f, x, 2, output_size=(3,) * (n + 1))
    for samples in (o(2, 3, n + 1), o(2, 3, n).double(), o(2, 3)):
        attempt("fractional", f, x, 2, output_size=3, _random_samples=samples)
    attempt("fractional", f, o(2, 3, 0, *(8,) * (n - 1)), 2, output_size=3)
attempt("fractional", F.fractional_max_pool2d, o(2, 3, 8, 8), 2, output_ratio=(0.5,) * 3)
x = o(2, 3, 8, 8)
for args in ((9,), (0,), (3, 0), (3, 1, -1), (3, 1, 0, 0), ((3, 3, 3),)):
    attempt(("unfold", args), F.unfold, x, *args)
for other in (x[0, 0], o(2, 0, 8, 8), x.long()):
    attempt("unfold", F.unfold, other, 3)
y = o(2, 27, 36)
for args in (((9, 8), 3), ((8, 8), 3, 0), ((8, 8), 0), ((8, 8), 3, 1, -1), ((8, 8, 8), 3), ((2, 2), 3)):
    attempt(("fold", args), F.fold, y, *args)
for other in (y[0, 0], y[:, :26], y.long()):
    attempt("fold", F.fold, other, (8, 8), 3)
for other, r in ((o(2, 7, 3, 3), 2), (o(3, 3), 2), (o(2, 8, 3, 3), 0)):
    attempt("shuffle", F.pixel_shuffle, other, r)
for other, r in ((o(2, 2, 5, 6), 2), (o(2, 2, 6, 5), 2), (o(6, 6), 2), (o(2, 2, 6, 6), 0)):
    attempt("unshuffle", F.pixel_unshuffle, other, r)
for other, r in ((o(2, 5, 3, 3), 2), (o(4, 3), 2), (o(2, 4, 3, 3), 0)):
    attempt("channels", F.channel_shuffle, other, r)
