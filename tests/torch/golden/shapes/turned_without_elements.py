"""The strides of tensors without elements that are turned: flip, fliplr, flipud and rot90."""

import torch

for shape in ((0,), (2, 0), (0, 3), (0, 0), (2, 0, 3)):
    for x in (torch.zeros(shape), torch.zeros(shape).transpose(0, -1)):
        print(shape, x.stride(), [(x.flip(d).stride(), x.flip(d).transpose(0, -1).stride()) for d in (0, -1)])
        if len(shape) > 1:
            print(torch.fliplr(x).stride(), torch.flipud(x).stride())
            print([(x.rot90(k, d).shape, x.rot90(k, d).stride()) for k in (0, 1, 2, 3) for d in ((0, 1), (1, 0))])
