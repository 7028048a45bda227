# Bags of rows: sums, means, maxima, offsets, weights of samples, padding.
import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3)
table = torch.arange(12.0).reshape(4, 3).requires_grad_()
i, o = torch.tensor([0, 2, 1, 2]), torch.tensor([0, 1, 1])
p = torch.tensor([1.0, 2.0, 0.5, -1.0], requires_grad=True)
for mode in ("sum", "mean", "max"):
    for options in ({}, {"padding_idx": 2}, {"include_last_offset": True}, {"max_norm": 100.0}):
        last = torch.tensor([0, 1, 1, 4]) if "include_last_offset" in options else o
        out = F.embedding_bag(i, table, last, mode=mode, **options)
        print(mode, options, out, torch.autograd.grad(out.sin().sum(), table)[0])
    print(F.embedding_bag(i.view(2, 2), table, mode=mode), F.embedding_bag(i[:0], table, o[:2] * 0, mode=mode))
    kind = F.embedding_bag(i.int(), table.double(), o.int(), mode=mode).dtype
    print(kind, [t.shape for t in torch.embedding_bag(table, i, o, False, ("sum", "mean", "max").index(mode))][:1])
print(torch.embedding_bag(table, i, o, False, 1)[1:], torch.embedding_bag(table, i, o, False, 2)[1:])
out = F.embedding_bag(i, table, o, mode="sum", per_sample_weights=p, padding_idx=1)
print(out, torch.autograd.grad(out.sin().sum(), (table, p)))
out = F.embedding_bag(i.view(2, 2), table, mode="sum", per_sample_weights=p.view(2, 2))
print(out, [g.grad_fn.name() for g in torch.autograd.grad(out.sin().sum(), (table, p), create_graph=True)])
g, h = torch.autograd.grad(out.sin().sum(), (table, p), create_graph=True)
bag = F.embedding_bag
calls = [
    lambda: g.sum().backward(retain_graph=True),
    lambda: h.sum().backward(retain_graph=True),
    lambda: bag(i, table),
    lambda: bag(i[None], table, o),
    lambda: bag(i[None, None], table),
    lambda: bag(i, table, o[None]),
    lambda: bag(i, table, o + 1),
    lambda: bag(i, table, o * 9),
    lambda: bag(i, table, o.float()),
    lambda: bag(i, table[0], o),
    lambda: bag(i, table.int(), o),
    lambda: bag(i, table, o, mode="all"),
    lambda: bag(i, table, o, mode="max", scale_grad_by_freq=True),
    lambda: bag(i, table, o, mode="max", sparse=True),
    lambda: bag(i, table, o, per_sample_weights=p),
    lambda: bag(i, table, o, mode="sum", per_sample_weights=p[:2]),
    lambda: bag(i, table, o, mode="sum", per_sample_weights=p.double()),
    lambda: bag(i + 2, table, o, mode="max"),
    lambda: bag(i, table, o, padding_idx=4),
    lambda: bag(i, table, o[:0], include_last_offset=True),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, ValueError, NotImplementedError) as e:
        print(type(e).__name__, str(e).replace("funcgrad.", ""))
