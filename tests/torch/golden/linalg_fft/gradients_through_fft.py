import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
y = torch.fft.fft(x)
print(
    y.grad_fn.name(),
    y.requires_grad,
    torch.fft.rfft(x).grad_fn.name(),
    torch.fft.irfft(y[:3]).grad_fn.name(),
    torch.fft.ifft(y).grad_fn.name(),
)
(y.real**2 + y.imag**2).sum().backward()
print(x.grad)
x.grad = None
torch.fft.rfft(x)[1].abs().backward()
print(x.grad.round(decimals=4))
x.grad = None
torch.fft.ifft(torch.fft.fft(x) * torch.fft.fft(torch.tensor([0.0, 1.0, 0.0, 0.0], dtype=torch.float64))).real[
    0
].backward()
print(x.grad.round(decimals=4).abs())
z = torch.tensor([1 + 1j, 2 - 1j], requires_grad=True)
torch.fft.irfft(z, n=3).sum().backward()
print(z.grad)
