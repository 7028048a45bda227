import torch

t = torch.tensor([1, 2], dtype=torch.int32)
print(torch.result_type(t, 1.0), torch.result_type(t, 1), torch.result_type(1, 1.5), torch.result_type(t, True))
print(torch.result_type(t, torch.tensor(1.0, dtype=torch.float64)))
types = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.complex64,
]
for a in types:
    print(*(str(torch.promote_types(a, b)).removeprefix("torch.").ljust(9) for b in types))
print(torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64))
print(torch.can_cast(torch.int64, torch.float16), torch.can_cast(torch.complex64, torch.float32))
print(torch.can_cast(torch.int64, torch.bool), torch.can_cast(torch.int8, torch.uint8))
