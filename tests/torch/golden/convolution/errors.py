"""What does not fit a convolution."""

import torch
import torch.nn.functional as F

o = torch.ones


def attempt(f, *args, **kwargs):
    try:
        print(tuple(f(*args, **kwargs).shape))
    except (RuntimeError, TypeError, ValueError, NotImplementedError) as e:
        print(type(e).__name__, e)


x, w = o(2, 4, 4, 4), o(4, 4, 2, 2)
attempt(F.conv2d, o(2, 3, 4, 4), o(2, 3, 2))
attempt(F.conv2d, o(2, 3, 4), o(2, 3, 2, 2))
attempt(F.conv2d, o(4, 4), o(2, 3, 2, 2))
attempt(F.conv2d, x, o(2, 3, 2, 2))
attempt(F.conv2d, x, o(3, 2, 2, 2), groups=2)
attempt(F.conv2d, x, o(1, 2, 2, 2), groups=2)
attempt(F.conv2d, x, w, groups=0)
attempt(F.conv2d, x, w, o(3))
attempt(F.conv2d, x, o(4, 4, 5, 2))
attempt(F.conv2d, x, o(4, 4, 0, 2))
attempt(F.conv2d, x, o(2, 2))
attempt(torch.convolution, x, o(4, 4, 2), None, [1], [0], [1], False, [0], 1)
for name, value in (("stride", 0), ("padding", -1), ("dilation", 0), ("stride", (1, 2, 3)), ("padding", "foo")):
    attempt(F.conv2d, x, w, **{name: value})
attempt(F.conv2d, x, w, padding="same", stride=2)
attempt(F.conv2d, x, w.double())
attempt(F.conv2d, x, w, o(4).double())
attempt(F.conv2d, x.long(), w)
attempt(F.conv2d, x.bool(), w.bool())
attempt(F.conv3d, o(1, 1, 2, 2, 2).bool(), o(1, 1, 1, 1, 1).bool())
t = o(4, 3, 2, 2)
attempt(F.conv_transpose2d, o(2, 3, 4, 4), t)
attempt(F.conv_transpose2d, x, t, o(2))
attempt(F.conv_transpose2d, x, t, groups=3)
attempt(F.conv_transpose2d, x, t, output_padding=1)
attempt(F.conv_transpose1d, o(2, 4, 4), o(4, 3, 2), output_padding=1)
attempt(F.conv_transpose3d, o(2, 4, 4, 4, 4), o(4, 3, 2, 2, 2), output_padding=1)
attempt(F.conv_transpose2d, x, t, stride=2, output_padding=-1)
attempt(F.conv_transpose2d, x, t, padding=4)
attempt(torch.conv_tbc, o(5, 2), o(2, 3, 4), o(4))
attempt(torch.conv_tbc, o(5, 2, 3), o(2, 3), o(4))
attempt(torch.conv_tbc, o(5, 2, 3), o(2, 3, 4), o(4, 1))
attempt(torch.conv_tbc, o(5, 2, 3), o(2, 2, 4), o(4))
attempt(torch.conv_tbc, o(5, 2, 3), o(2, 3, 4), o(3))
attempt(F.conv2d, x, "w")
