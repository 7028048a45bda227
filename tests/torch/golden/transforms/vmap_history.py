import torch

# What one sees of results of vmap is what the operations on whole batches leave.


def show(name, y):
    node = y.grad_fn
    behind = [None if n is None else type(n).__name__ for n, _ in node.next_functions] if node else None
    print(name, type(node).__name__, behind, tuple(y.shape), y.stride(), y._is_view(), y._version)


x = torch.tensor([[[1.5, 0.5], [0.25, 2.0]], [[0.75, 1.25], [1.0, 0.125]], [[3.0, 2.5], [1.75, 0.625]]])
h = x.clone().requires_grad_() * 1
OPERATIONS = """
sum() sum(0) mean() mean(-1) prod(0) std() var(0) norm() norm(dim=0) logsumexp(0) max(0)[0] amax(0)
nansum() median(0)[0] mode(0)[0] kthvalue(1,0)[0] cummax(0)[0] cumprod(0) logcumsumexp(0)
softmax(-1) sort(0)[0] topk(1,0)[0] flip(0) diag_embed() T unsqueeze(0) reshape(-1) flatten()
expand(2,2,2) narrow(0,0,1) select(0,0) unbind(0)[0] split(1)[0] chunk(2)[0] sub(x.mean())
__rsub__(1.) remainder(0.7) copysign(x) masked_fill(x>1,0) double() detach() floor() sinc()
"""
for text in OPERATIONS.split():
    f = eval(f"lambda x: x.{text}")
    show(text, torch.func.vmap(f)(h))
    show(text, torch.func.vmap(f)(x))
for text in ("x[0]", "x[..., 0]", "x[None]", "x[0:1]", "x[-1]", "x.clone().mul_(2)"):
    f = eval(f"lambda x: {text}")
    show(text, torch.func.vmap(f)(h))
    show(text, torch.func.vmap(f)(x))
