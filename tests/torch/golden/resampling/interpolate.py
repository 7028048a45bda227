# interpolate: all modes, sizes and factors, aligned corners, antialiasing; gradients and their gradients.
import torch
import torch.nn.functional as F
from torch import nn

torch.set_printoptions(precision=2, sci_mode=False)
x = {n: ((torch.arange(1.0, 1 + 2 * 3 ** (n - 2)) ** 2) % 7).reshape(1, 2, *[3] * (n - 2)) for n in (3, 4, 5)}
modes = [(m, n) for m in ("nearest", "nearest-exact") for n in (3, 4, 5)]
modes += [("linear", 3), ("bilinear", 4), ("bicubic", 4), ("trilinear", 5)]
for mode, n in modes:
    a = x[n].clone().requires_grad_()
    corners = (None,) if "nearest" in mode else (False, True)
    for c in corners:
        for options in (
            {"size": 4},
            {"size": 2},
            {"scale_factor": 1.4},
            {"scale_factor": 1.4, "recompute_scale_factor": True},
        ):
            out = F.interpolate(a, mode=mode, align_corners=c, **options)
            (g,) = torch.autograd.grad(out.pow(2).sum(), a, create_graph=True)
            (h,) = torch.autograd.grad(g.sum(), a)
            print(mode, n, c, *options, out.flatten()[:8] + 0, out.shape, out.grad_fn.name(), g.grad_fn.name())
            print(g.detach().flatten()[:6] + 0, h.flatten()[:6] + 0)
for mode in ("bilinear", "bicubic", "lanczos"):
    for size in ((2, 2), (5, 4)):
        a = x[4].clone().requires_grad_()
        out = F.interpolate(a, size=size, mode=mode, antialias=True)
        (g,) = torch.autograd.grad(out.pow(2).sum(), a, create_graph=True)
        print(mode, out[0, 0].detach() + 0, g[0, 0].detach() + 0, out.grad_fn.name(), g.grad_fn.name())
        if mode != "lanczos":
            print(F.interpolate(x[4], size=size, mode=mode, antialias=True, align_corners=True)[0, 0] + 0)
images = (x[4] * 30).to(torch.uint8)
print(F.interpolate(images, size=2), F.interpolate(images, size=4, mode="bilinear").dtype)
print(torch.func.vmap(lambda a: F.interpolate(a, size=2, mode="bilinear"))(torch.stack([x[4], -x[4]]))[:, 0, 0])
print(F.interpolate(x[4].contiguous(memory_format=torch.channels_last), size=2).stride())
for m in (
    nn.Upsample(scale_factor=2, mode="linear"), nn.Upsample(size=2), nn.UpsamplingNearest2d(size=(2, 4)),
    nn.UpsamplingBilinear2d(scale_factor=(2, 1)), nn.PixelShuffle(2), nn.PixelUnshuffle(3), nn.ChannelShuffle(2),
):  # fmt: skip
    print(m, type(m).__module__, m.__constants__, list(m.state_dict()))
print(nn.UpsamplingBilinear2d(size=2)(x[4]), nn.Upsample(scale_factor=2.0)(x[3]), nn.PixelUnshuffle(3)(x[4]).shape)
a = torch.arange(8.0).reshape(1, 4, 1, 2).requires_grad_()
for f in (torch.pixel_shuffle, torch.channel_shuffle, lambda a, n: torch.pixel_unshuffle(a.view(1, 2, 2, 2), n)):
    out = f(a, 2)
    (g,) = torch.autograd.grad(out.pow(2).sum(), a, create_graph=True)
    print(out, out.grad_fn.name(), g.flatten(), g.grad_fn.name())
print(F.upsample(x[4], size=1), F.upsample_nearest(x[4], size=1), F.upsample_bilinear(x[4], size=1))
calls = [
    lambda: F.interpolate(x[4]),
    lambda: F.interpolate(x[4], size=2, scale_factor=2),
    lambda: F.interpolate(x[4], size=(2,)),
    lambda: F.interpolate(x[4], size=(2, 2.0)),
    lambda: F.interpolate(x[4], scale_factor=(2,)),
    lambda: F.interpolate(x[4], size=0),
    lambda: F.interpolate(x[3], size=0),
    lambda: F.interpolate(x[5], scale_factor=0.1),
    lambda: F.interpolate(x[4], scale_factor=float("inf")),
    lambda: F.interpolate(x[4][:, :0], size=2),
    lambda: F.interpolate(x[3][:, :, :0], size=2),
    lambda: F.interpolate(x[4][0, 0], size=2),
    lambda: F.interpolate(x[4], size=2, mode="linear"),
    lambda: F.interpolate(x[3], size=2, mode="bilinear"),
    lambda: F.interpolate(x[5], size=2, mode="bilinear"),
    lambda: F.interpolate(x[4], size=2, mode="none"),
    lambda: F.interpolate(x[4], size=2, align_corners=True),
    lambda: F.interpolate(x[4], size=2, recompute_scale_factor=True),
    lambda: F.interpolate(x[3], size=2, mode="linear", antialias=True),
    lambda: F.interpolate(x[4], size=2, mode="lanczos"),
    lambda: F.interpolate(x[4], size=2, mode="lanczos", antialias=True, align_corners=True),
    lambda: F.interpolate(x[4].int(), size=2, mode="bilinear", antialias=True),
    lambda: F.pixel_shuffle(x[4], 2),
    lambda: F.pixel_shuffle(x[4], 0),
    lambda: F.pixel_shuffle(x[4][0, 0], 2),
    lambda: F.pixel_unshuffle(x[4], 2),
    lambda: F.channel_shuffle(x[4], 3),
    lambda: F.channel_shuffle(x[4], 0),
    lambda: F.channel_shuffle(x[4][0, 0], 1),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as e:
        print(type(e).__name__, e)
