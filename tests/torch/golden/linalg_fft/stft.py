import torch

x = torch.sin(torch.arange(20.0)) + 2
w = torch.hann_window(8)


def show(f):
    try:
        r = f()
        print(r.shape, r.dtype, r.abs().mul(100).round().flatten()[:12].tolist())
    except (RuntimeError, IndexError, NotImplementedError) as e:
        print(type(e).__name__, e)


show(lambda: torch.stft(x, 8, return_complex=True))
show(lambda: torch.stft(x, 8, window=w, return_complex=False))
show(lambda: x.stft(8, 3, 7, torch.ones(7), return_complex=True))
show(lambda: torch.stft(torch.stack([x, x + 1]).double(), 8, window=w.double(), normalized=True, return_complex=True))
show(lambda: torch.stft(x.cfloat(), 8, window=w))
for mode in ("constant", "replicate", "circular", "nothing"):
    show(lambda mode=mode: torch.stft(x, 8, window=w, pad_mode=mode, return_complex=True))
show(lambda: torch.stft(x, 8, win_length=4, window=w[:4], center=False, align_to_window=True, return_complex=True))
for options in ({"hop_length": 0}, {"win_length": 9}, {"window": w[:4]}, {"n_fft": 30}, {"return_complex": None}):
    options = {"n_fft": 8, "window": w, "center": False, "return_complex": True, **options}
    show(lambda options=options: torch.stft(x, **options))
show(lambda: torch.stft(x, 8, window=w, return_complex=True, align_to_window=True))
show(lambda: torch.stft(x.cfloat(), 8, window=w, onesided=True))
show(lambda: torch.stft(x[:3], 8, window=w, return_complex=True))
show(lambda: torch.stft(x.int(), 8, window=w, return_complex=True, center=False))
S = torch.stft(x, 8, window=w, return_complex=True)
show(lambda: torch.istft(S, 8, window=w) - x)
show(lambda: torch.istft(S, 8, length=15))
show(lambda: S.istft(8, window=w, length=30))
show(lambda: torch.istft(torch.stft(x.cfloat(), 8, window=w), 8, window=w, return_complex=True) - x)
for options in ({"hop_length": 9}, {"win_length": 9}, {"window": w[:5]}, {"onesided": False}, {"center": False}):
    show(lambda options=options: torch.istft(S, 8, **{"window": w, **options}))
show(lambda: torch.istft(S, 8, window=w.cfloat()))
show(lambda: torch.istft(S[:, :0], 8, window=w))
show(lambda: torch.istft(x, 8, window=w))
