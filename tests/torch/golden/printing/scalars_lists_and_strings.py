import torch

x = torch.tensor([[1.5, 2.0], [3.25, -4.0]])
print(str(x), repr(x) == str(x), f"{x[0, 0]}", f"{x[0, 0]:.1f}", str(x[0]))
print(x.tolist(), x[0].tolist(), x[0, 0].item())
print(x.shape, tuple(x.shape), x.size(), x.size(0), list(x.shape), x.shape[-1])
print(f"{x.shape}", repr(x.size()), str(x.dtype), x.device, repr(x.device))
print(torch.Size([2, 3]).numel(), torch.Size([2]) + (3,), torch.Size([2, 3])[:1], torch.Size([1, 2]) == (1, 2))
print(f"loss: {torch.tensor(0.123456):.4f}")
try:
    print(f"{x:.2f}")
except TypeError as e:
    print(e)
print(x.max(dim=1))
print(x.layout, x.is_cuda, x.is_sparse, x.ndim, x.nelement(), x.T.shape)
