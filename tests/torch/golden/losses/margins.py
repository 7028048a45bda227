# Margins, likelihoods and embeddings: values and gradients.
import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
x = torch.tensor([[1.0, -2.0, 0.5, 0.25], [0.25, 3.0, -1.0, 2.0], [-0.5, 0.5, 1.5, -1.0]], requires_grad=True)
y = torch.tensor([[0.5, -2.25, 2.5, 1.0], [0.5, 1.0, -0.5, 0.0], [1.0, 0.25, -1.0, 2.0]], requires_grad=True)
s, one = torch.tensor([[1.0, -1.0, 1.0, -1.0]] * 3), torch.tensor([1.0, -1.0, 1.0])
t, labels = torch.tensor([0, 3, 1]), torch.tensor([[0, 2, -1, 1], [3, -1, 0, 0], [-1, 0, 0, 0]])
w = torch.tensor([1.0, 2.0, 0.5, 0.25])
losses = {
    "hinge": lambda r: F.hinge_embedding_loss(x, s, margin=0.75, reduction=r),
    "ranking": lambda r: F.margin_ranking_loss(x, y, s, margin=0.5, reduction=r),
    "multi": lambda r: F.multi_margin_loss(x, t, reduction=r),
    "multi2": lambda r: F.multi_margin_loss(x, t, p=2, margin=0.5, weight=w, reduction=r),
    "one": lambda r: F.multi_margin_loss(x[0], t[0], reduction=r),
    "labels": lambda r: F.multilabel_margin_loss(x, labels, reduction=r),
    "label": lambda r: F.multilabel_margin_loss(x[0], labels[0], reduction=r),
    "soft": lambda r: F.multilabel_soft_margin_loss(x, (s + 1) / 2, weight=w, reduction=r),
    "cosine": lambda r: F.cosine_embedding_loss(x, y, one, margin=-0.5, reduction=r),
    "triplet": lambda r: F.triplet_margin_loss(x, y, s, swap=True, reduction=r),
    "triplet1": lambda r: F.triplet_margin_loss(x, y, s, p=1, reduction=r),
    "distance": lambda r: F.triplet_margin_with_distance_loss(x, y, s, swap=True, reduction=r),
    "kl": lambda r: F.kl_div(x, y.exp(), reduction=r),
    "kl log": lambda r: F.kl_div(x, y, reduction=r, log_target=True),
    "poisson": lambda r: F.poisson_nll_loss(x, y.exp(), full=True, reduction=r),
    "poisson rate": lambda r: F.poisson_nll_loss(x.exp(), y, log_input=False, reduction=r),
    "gauss": lambda r: F.gaussian_nll_loss(x, y, y.detach().exp(), full=True, reduction=r),
    "gauss row": lambda r: F.gaussian_nll_loss(x, y, torch.tensor([0.5, 1.0, 2.0]), reduction=r),
    "gauss one": lambda r: F.gaussian_nll_loss(x, y, 0.5, reduction=r),
}
for name, f in losses.items():
    for r in ("none", "mean", "sum"):
        out = f(r)
        print(name, r, out)
        for g in torch.autograd.grad(out.sum(), (x, y), allow_unused=True):
            if g is not None:
                print("  ", g)
print(F.kl_div(x, y, reduction="batchmean"), F.pairwise_distance(x, y, keepdim=True), F.pairwise_distance(x, y, p=3))
print(F.cosine_similarity(x, y), F.cosine_similarity(x, y[0], dim=-1))
print(F.one_hot(t), F.one_hot(t, 6).shape, torch.func.vmap(lambda t: F.one_hot(t, 4))(t))
for name in ("multi", "labels"):
    (g,) = torch.autograd.grad(losses[name]("mean"), x, create_graph=True)
    try:
        g.sum().backward()
    except RuntimeError as e:
        print(g.grad_fn.name(), e)
x = torch.tensor([[0.0, 0.0], [3.0, 4.0]]).half()  # halves stay halves, in which the bound of a length is zero
print(F.cosine_similarity(x, x + 1), F.cosine_similarity(x.bfloat16(), x.bfloat16() + 1))
