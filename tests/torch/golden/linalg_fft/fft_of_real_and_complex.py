import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
print(torch.fft.fft(x), torch.fft.rfft(x), torch.fft.ifft(torch.fft.fft(x)), torch.fft.irfft(torch.fft.rfft(x)))
print(
    torch.fft.fft(x, n=2), torch.fft.fft(x, n=6).shape, torch.fft.fft(x, norm="ortho"), torch.fft.rfft(x.double()).dtype
)
print(
    torch.fft.fftfreq(4),
    torch.fft.rfftfreq(4, 0.5),
    torch.fft.fftshift(torch.arange(4)),
    torch.fft.ifftshift(torch.arange(5)),
)
print(
    torch.fft.fft2(torch.eye(2)),
    torch.fft.fftn(torch.ones(2, 2, 2))[0, 0],
    torch.fft.rfft2(torch.ones(2, 4)).shape,
    torch.fft.hfft(torch.ones(3)),
)
for bad in (
    lambda: torch.fft.fft(x, n=0),
    lambda: torch.fft.fft(x, dim=1),
    lambda: torch.fft.rfft(torch.tensor([1j])),
    lambda: torch.fft.fft(x, norm="bad"),
    lambda: torch.fft.fft2(x),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
