import torch

for name in ("bartlett", "blackman", "hamming", "hann", "kaiser"):
    f = getattr(torch, f"{name}_window")
    print(name, f(6, dtype=torch.float64).mul(1e4).round().tolist(), f(5, False).mul(1e4).round().abs().tolist())
    print([f(n).tolist() for n in (0, 1)], f(4, requires_grad=True).requires_grad, f(3, dtype=torch.float16).dtype)
    for bad in ((-1,), ("a",), ()):
        try:
            f(*bad)
        except (RuntimeError, TypeError) as e:
            print(type(e).__name__, e)
    for dtype in (torch.int64, torch.complex64):
        try:
            f(4, dtype=dtype)
        except RuntimeError as e:
            print(type(e).__name__, e)
print(torch.hamming_window(5, True, 0.5, 0.4).mul(1e4).round(), torch.kaiser_window(5, True, 3.0).mul(1e4).round())
