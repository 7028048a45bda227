# MultiheadAttention: parameters, results, masks, and what is refused.
import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
x = torch.randn(3, 2, 4)
plain = nn.MultiheadAttention(4, 2)
print(plain, [(n, p.shape, round(p.sum().item(), 3)) for n, p in plain.named_parameters()])
print(
    [
        (n, p.shape)
        for n, p in nn.MultiheadAttention(4, 2, bias=False, add_bias_kv=True, kdim=3, vdim=5).named_parameters()
    ]
)
later = torch.ones(3, 3, dtype=torch.bool).triu(1)
ended = torch.tensor([[False, False, True], [False, False, False]])
for options in (
    {},
    {"attn_mask": later},
    {"key_padding_mask": ended},
    {"attn_mask": later, "key_padding_mask": ended},
    {"attn_mask": later, "is_causal": True, "need_weights": False},
    {"attn_mask": later.expand(4, 3, 3), "average_attn_weights": False},
    {"attn_mask": torch.zeros(3, 3), "key_padding_mask": ended},
):
    out, weights = plain(x, x, x, **options)
    print(
        torch.round(out.detach(), decimals=3)[:, 0],
        out.grad_fn.name(),
        weights if weights is None else (weights.shape, torch.round(weights.detach(), decimals=3)[0]),
    )
rich = nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, kdim=3, vdim=5, batch_first=True)
out, weights = rich(
    torch.ones(2, 3, 4),
    torch.ones(2, 6, 3),
    torch.ones(2, 6, 5),
    key_padding_mask=torch.zeros(2, 6, dtype=torch.bool),
    attn_mask=torch.zeros(3, 6),
)
print(torch.round(out.detach(), decimals=3)[0], out.stride(), weights.shape)
out.sum().backward()
print([(n, round(p.grad.sum().item(), 3)) for n, p in rich.named_parameters()])
out, weights = plain(x[:, 0], x[:, 0], x[:, 0])
print(out.shape, weights.shape)
first = nn.MultiheadAttention(4, 2, batch_first=True).eval()
with torch.no_grad():
    y = x.transpose(0, 1)
    for need in (True, False):
        out, weights = first(y, y, y, key_padding_mask=ended, need_weights=need)
        print(out.is_contiguous(), torch.round(out[0], decimals=3), weights if weights is None else weights.shape)
    out, _ = first(y, y, y, key_padding_mask=torch.ones(2, 3, dtype=torch.bool), need_weights=False)
    print(out.isnan().all())
    out, _ = first(y, y + 0, y, key_padding_mask=torch.ones(2, 3, dtype=torch.bool), need_weights=False)
    print(out.isnan().any(), out.is_contiguous())
    show(lambda: first(torch.ones(2, 3, 5), torch.ones(2, 3, 5), torch.ones(2, 3, 5)))
    same = torch.ones(2, 3, 5)
    show(lambda: first(same, same, same))
show(lambda: nn.MultiheadAttention(4, 3))
show(lambda: nn.MultiheadAttention(4, 0))
for args, options in (
    ((x, x[:, 0], x), {}),
    ((x[0, 0], x, x), {}),
    ((x[:, 0], x, x), {}),
    ((x, x, x), {"attn_mask": torch.ones(2, 2, dtype=torch.bool)}),
    ((x, x, x), {"attn_mask": torch.ones(3, 3, 3, dtype=torch.bool)}),
    ((x, x, x), {"attn_mask": torch.ones(3, dtype=torch.bool)}),
    ((x, x, x), {"attn_mask": torch.ones(3, 3, dtype=torch.long)}),
    ((x, x, x), {"key_padding_mask": torch.ones(3, 3, dtype=torch.bool)}),
    ((x, x, x), {"key_padding_mask": torch.ones(2, 2, dtype=torch.bool)}),
    ((x, x, x), {"key_padding_mask": torch.ones(2, dtype=torch.bool)}),
    ((x, x, x), {"is_causal": True}),
    ((x, x[:2], x), {}),
    ((x[:, :, :3], x[:, :, :3], x[:, :, :3]), {}),
    ((x[:, 0], x[:, 0], x[:, 0]), {"attn_mask": torch.ones(3, 3, 3, dtype=torch.bool)}),
    ((x[:, 0], x[:, 0], x[:, 0]), {"key_padding_mask": torch.ones(2, 3, dtype=torch.bool)}),
):
    show(lambda: plain(*args, **options)[0])
show(lambda: rich(torch.ones(2, 3, 4), torch.ones(2, 6, 4), torch.ones(2, 6, 5))[0])
