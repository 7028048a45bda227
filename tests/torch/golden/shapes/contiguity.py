import torch

x = torch.arange(6.0).view(2, 3)
print(x.stride(), x.is_contiguous(), x.contiguous() is x)
t = x.t()
print(
    t.stride(),
    t.is_contiguous(),
    t.contiguous().stride(),
    t.clone().stride(),
    (t + 1).stride(),
    (t + x.view(3, 2)).stride(),
)
print(
    t.exp().stride(), t.sum(0).stride(), t[None].clone().stride(), x[:, ::2].clone().stride(), x[:, 0].clone().stride()
)
print(x.expand(4, 2, 3).clone().stride(), x.expand(4, 2, 3).add(1).stride(), torch.zeros_like(t).stride())
p = torch.zeros(2, 3, 4).permute(2, 0, 1)
print(p.stride(), p.mul(2).stride(), p.clone().stride(), p.reshape(-1).stride(), p.contiguous().stride())
print((p + torch.zeros(3)).stride(), torch.where(p > 0, p, 0).stride(), p.to(torch.float64).stride(), (p > 0).stride())
print(torch.stack([t, t]).stride(), torch.cat([t, t]).stride(), t.clone(memory_format=torch.contiguous_format).stride())
print(
    torch.zeros(1, 5).t().is_contiguous(),
    torch.zeros(0, 3).stride(),
    torch.zeros(3, 1, 2).stride(),
    torch.tensor(1.0).stride(),
)
print((x @ t).stride(), t.cumsum(0).stride(), t.softmax(0).stride(), t.flip(0).stride(), t.sort(0).values.stride())
