# scaled_dot_product_attention: nodes, layouts, masks, and what is refused.
import torch
from torch.nn.functional import scaled_dot_product_attention as attend


def show(f):
    try:
        out = f()
        print(tuple(out.shape), out.stride(), out.dtype, out.grad_fn.name() if out.grad_fn else None)
        print(torch.round(out.detach().double().flatten()[:4], decimals=2))
    except Exception as e:
        print(type(e).__name__, e)


def some(*shape, **options):
    return torch.arange(float(torch.Size(shape).numel())).view(shape).to(**options).sin().requires_grad_()


q, k = some(2, 4, 3, 2), some(2, 4, 5, 2)
causal = torch.ones(3, 5, dtype=torch.bool).tril()
show(lambda: attend(q, k, k))
show(lambda: attend(q, k, some(2, 4, 5, 3)))
show(lambda: attend(q[0], k[0], k[0]))
show(lambda: attend(q[0, 0], k[0, 0], k[0, 0]))
show(lambda: attend(q.transpose(1, 2), q.transpose(1, 2), q.transpose(1, 2)))
show(lambda: attend(q, k, k, is_causal=True))
show(lambda: attend(k, q, q, is_causal=True))
show(lambda: attend(q, k, k, causal))
show(lambda: attend(q[0], k[0], k[0], causal))
show(lambda: attend(q, k, k, torch.zeros(3, 5, dtype=torch.bool)))
show(lambda: attend(q[0], k[0], k[0], torch.full((3, 5), -torch.inf)))
show(lambda: attend(q, k, k, torch.arange(15.0).view(3, 5), scale=0.5))
show(lambda: attend(q, k, k, torch.zeros(3, 5, requires_grad=True)))
show(lambda: attend(q, some(2, 2, 5, 2), some(2, 2, 5, 2), enable_gqa=True))
show(lambda: attend(q[0], some(2, 5, 2), some(2, 5, 2), enable_gqa=True))
show(lambda: attend(some(1, 1, 3, 4, dtype=torch.bfloat16), *[some(1, 1, 3, 4, dtype=torch.bfloat16)] * 2))
show(lambda: attend(some(1, 3, 4, dtype=torch.float16), *[some(1, 3, 4, dtype=torch.float16)] * 2))
show(lambda: attend(q * 100, k, k))
show(lambda: attend(q, k, k, causal, is_causal=True))
show(lambda: attend(q[0], k[0], k[0], causal, is_causal=True))
show(lambda: attend(q, k.double(), k))
show(lambda: attend(q, k, k, causal.double()))
show(lambda: attend(q, k, k, causal.long()))
show(lambda: attend(q, k, k, torch.zeros(5)))
show(lambda: attend(q, k, k, torch.zeros(3, 3)))
show(lambda: attend(some(3), k, k))
show(lambda: attend(q, some(2, 2, 5, 2), some(2, 2, 5, 2)))
show(lambda: attend(q, some(2, 3, 5, 2), some(2, 3, 5, 2), enable_gqa=True))
show(lambda: attend(q, k, k, dropout_p=2.0))
show(lambda: attend(q, k, k, dropout_p=-1.0))
show(lambda: attend(q.long(), k.long(), k.long()))
show(lambda: attend(q, k, k, None, 0.0, False, 1.0))
y = attend(q, k, k, torch.zeros(3, 5), is_causal=True)
print(y.grad_fn._saved_is_causal, y.grad_fn._saved_scale, y.grad_fn._saved_dropout_p, y.grad_fn._saved_query.shape)
for g in torch.autograd.grad(y.square().sum(), (q, k)):
    print(torch.round(g.double(), decimals=4).flatten()[:8], g.stride())
torch.manual_seed(0)
print(torch.round(attend(q, k, k, dropout_p=0.5).detach(), decimals=3)[0, 0])
