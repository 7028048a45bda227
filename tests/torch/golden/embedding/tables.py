# Rows of tables: values, gradients, padding, bounded norms; modules.
import torch
import torch.nn.functional as F
from torch import nn

torch.set_printoptions(precision=3)
table = torch.arange(12.0).reshape(4, 3).requires_grad_()
i = torch.tensor([[0, 2], [1, 2]])
for options in ({}, {"padding_idx": 2}, {"padding_idx": -2}, {"scale_grad_by_freq": True}, {"sparse": False}):
    out = F.embedding(i, table, **options)
    (g,) = torch.autograd.grad(out.sin().sum(), table, create_graph=True)
    print(options, out.shape, out.grad_fn.name(), g.detach(), g.grad_fn.name())
    print(torch.autograd.grad(g.sum(), table)[0])
print(F.embedding(torch.tensor(1), table), F.embedding(i.int(), table.int()), F.embedding(i[:0], table).shape)
print(torch.func.vmap(lambda t: F.embedding(i, t))(torch.stack([table, -table])).shape)
print(torch.func.vmap(torch.func.grad(lambda t: F.embedding(i, t, 2).sum()))(torch.stack([table, -table])))
print(torch.func.jvp(lambda t: F.embedding(i, t), (table.detach(),), (table.detach(),))[1][0])
bounded = table.detach().clone()
print(F.embedding(i, bounded, max_norm=3.0), bounded, bounded._version)
print(torch.embedding_renorm_(bounded, torch.tensor([3]), 4.0, 1.0))
torch.manual_seed(0)
for m in (
    nn.Embedding(4, 3, padding_idx=1),
    nn.Embedding(4, 3, padding_idx=-1, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True),
    nn.Embedding.from_pretrained(table.detach(), padding_idx=0),
    nn.Embedding.from_pretrained(table.detach(), freeze=False),
    nn.EmbeddingBag(4, 3, padding_idx=2, mode="sum"),
    nn.EmbeddingBag.from_pretrained(table.detach(), max_norm=2.0, norm_type=1.0, scale_grad_by_freq=True),
):
    print(m, list(m.state_dict()), m.weight, type(m).__module__, m.__constants__)
    print(m(i) if m.padding_idx is None else m(i).shape)
calls = [
    lambda: F.embedding(i.float(), table),
    lambda: F.embedding(i.short(), table),
    lambda: F.embedding(i + 2, table),
    lambda: F.embedding(i - 1, table),
    lambda: F.embedding(i, table[0]),
    lambda: F.embedding(i, table, padding_idx=4),
    lambda: F.embedding(i, table, padding_idx=-5),
    lambda: torch.embedding_renorm_(bounded, i.float(), 1.0, 2.0),
    lambda: torch.embedding_renorm_(bounded[0], i, 1.0, 2.0),
    lambda: nn.Embedding(4, 3, padding_idx=4),
    lambda: nn.EmbeddingBag(4, 3, padding_idx=-5),
    lambda: nn.Embedding(4, 3, _weight=torch.ones(3, 3)),
    lambda: nn.Embedding.from_pretrained(torch.ones(3)),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, IndexError, AssertionError) as e:
        print(type(e).__name__, e)
