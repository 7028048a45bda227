import torch

z, w = torch.tensor([1 + 2j, 3 - 1j]), torch.tensor([2 - 1j, 1j])
print(
    z + w,
    z * w,
    z / w,
    z - 1,
    2 * z,
    z**2,
    z + torch.tensor([1.0, 2.0]),
    z.sum(),
    z.mean(),
    z.prod(),
    -z,
    1j * torch.ones(2),
)
print(
    z == w,
    z == z,
    z != 1,
    (z * z.conj()).real,
    z @ w,
    torch.vdot(z, w),
    torch.dot(z, w),
    z.abs().dtype,
    z.to(torch.complex128).dtype,
)
print(
    (torch.ones(2, dtype=torch.float64) * 1j).dtype,
    (torch.ones(2) + torch.ones(2, dtype=torch.complex128)).dtype,
    (torch.tensor([1]) * 1j).dtype,
    torch.tensor(1j).item(),
)
print(
    z.to(torch.float32),
    torch.sqrt(torch.tensor([-1 + 0j])),
    torch.exp(torch.tensor([0j])),
    torch.tensor([[1j, 2]]).mH,
    torch.tensor([1j, 2]).tolist(),
)
for bad in (
    lambda: z < w,
    lambda: z.max(),
    lambda: z // 2,
    lambda: z % 2,
    lambda: z.round(),
    lambda: z.floor(),
    lambda: z.clamp(0, 1),
    lambda: z.sort(),
    lambda: float(z[0]),
    lambda: z.relu(),
    lambda: torch.atan2(z, w),
):
    try:
        print(bad())
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, e)
