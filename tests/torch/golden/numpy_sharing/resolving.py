import torch

z = torch.tensor([1 + 2j, 3 - 1j])
print(z.numpy(), z.conj().is_conj())
try:
    z.conj().numpy()
except RuntimeError as e:
    print(type(e).__name__, e)
print(z.conj().resolve_conj().numpy(), z.conj().numpy(force=True))
print(z.real.numpy(), z.imag.numpy(), z.imag.numpy().strides)
z.imag.numpy()[:] = 0
print(z)
try:
    z.conj().imag.numpy()
except RuntimeError as e:
    print(type(e).__name__, e)
print(torch.view_as_real(z).numpy())
