import torch

f32, f64 = torch.ones(2), torch.ones(2, dtype=torch.float64)
i32, i64 = torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int64)
zero_d = [
    torch.tensor(1),
    torch.tensor(1.0),
    torch.tensor(1.0, dtype=torch.float64),
    torch.tensor(True),
    torch.tensor(1j),
]
for x in (f32, f64, i32, i64):
    print(x.dtype, [(x + z).dtype for z in zero_d])
print((f32 + f64).dtype, (i32 + i64).dtype, (i64 + f32).dtype, (i32 + torch.ones(2, dtype=torch.uint8)).dtype)
print((torch.tensor(1.0, dtype=torch.float64) + torch.tensor(1.0)).dtype, (f32[0] + f64[0]).dtype)
print((torch.ones(2, dtype=torch.float16) + torch.ones(2, dtype=torch.bfloat16)).dtype)
print((torch.ones(2, dtype=torch.uint8) + torch.ones(2, dtype=torch.int8)).dtype)
print(
    torch.where(torch.tensor([True, False]), 1, 2.0).dtype, torch.stack([f32, i64]).dtype, torch.cat([i32, f64]).dtype
)
