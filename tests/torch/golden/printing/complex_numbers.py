import torch

print(torch.tensor([1 + 2j, 3 - 4j]))
print(torch.tensor(1j), torch.tensor([1.5 + 0.25j, -100 + 1e-3j]))
print(torch.tensor([[1 + 0j], [0 - 1j]], dtype=torch.complex128))
print(torch.tensor([1 + 2j], requires_grad=True) * 2)
z = torch.tensor([1 + 2j, 3 - 4j])
print(z.conj(), z.real, z.imag, z.abs(), -z)
print(torch.tensor([1e10 + 1j, 1e-10j]))
