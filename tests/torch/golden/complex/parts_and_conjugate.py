import torch

z = torch.tensor([3 + 4j, 1 - 2j])
print(z.real, z.imag, z.abs(), z.angle().round(decimals=4), z.conj(), z.is_complex(), z.dtype)
c = z.conj()
print(
    c.is_conj(), c._is_view(), c.data_ptr() == z.data_ptr(), c.resolve_conj().is_conj(), z.is_conj(), c.conj().is_conj()
)
z.real[0] = 10
print(z, c, z._version)
c[1] = 5j
print(z, torch.view_as_real(z), torch.view_as_complex(torch.tensor([[1.0, 2.0]])))
print(z.conj().imag.is_neg(), z.conj().imag, torch.conj_physical(z))
print(
    torch.real(torch.tensor([1.0])),
    torch.tensor([1.0]).real,
    torch.tensor([2.0]).conj(),
    torch.isreal(torch.tensor([1 + 0j, 1j])),
)
for bad in (
    lambda: torch.tensor([1.0]).imag,
    lambda: torch.view_as_real(c),
    lambda: torch.view_as_complex(torch.ones(3)),
    lambda: torch.view_as_real(torch.ones(2)),
    lambda: torch.imag(torch.tensor([1])),
    lambda: torch.complex(torch.ones(1), torch.ones(1).double()),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
