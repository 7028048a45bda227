"""nan_to_num of complex numbers that require grad is refused, in place it is not."""

import torch

inf, nan = float("inf"), float("nan")
for first in (complex(1, 3), complex(inf, 3), complex(nan, 1), complex(1, -inf)):
    x = torch.tensor([first, 2j], requires_grad=True)
    for write in (lambda y: y.nan_to_num_(), lambda y: y.nan_to_num_(nan=3.0, posinf=4.0), torch.nan_to_num_):
        y = write(x * 1)
        print(y.detach(), y.grad_fn.name(), y._version, torch.autograd.grad(y.real.sum() + 2 * y.imag.sum(), x)[0])
    try:
        torch.nan_to_num(x * 1)
    except RuntimeError as e:
        print(e)
whole = torch.tensor([1, 2])
print(whole.nan_to_num_(), torch.tensor([1.0, nan]).nan_to_num_(5.0))
