import torch

for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64):
    f = torch.finfo(dtype)
    print(f.dtype, f.bits, f.eps, f.max, f.min, f.tiny, f.smallest_normal, f.resolution)
print(torch.finfo(torch.float32))
print(torch.finfo())
for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    print(torch.iinfo(dtype))
for bad in (lambda: torch.finfo(torch.int64), lambda: torch.iinfo(torch.float32), lambda: torch.iinfo(torch.bool)):
    try:
        bad()
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
