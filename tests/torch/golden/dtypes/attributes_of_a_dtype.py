import torch

for d in (torch.float32, torch.float, torch.int64, torch.long, torch.bool, torch.complex64, torch.cfloat, torch.half):
    print(d, d.is_floating_point, d.is_complex, d.is_signed, d.itemsize)
print(torch.float is torch.float32, torch.double == torch.float64, torch.int is torch.int32)
print(repr(torch.float64), str(torch.int8), type(torch.float64))
print(torch.float32.to_complex(), torch.complex128.to_real())
x = torch.ones(2, dtype=torch.half)
print(
    x.is_floating_point(),
    torch.is_floating_point(x),
    x.is_complex(),
    x.is_signed(),
    x.element_size(),
    x.itemsize,
    x.nbytes,
)
print({torch.float32: "a"}[torch.float])
