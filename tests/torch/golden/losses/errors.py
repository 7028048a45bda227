# What losses refuse, and what they warn of.
import warnings

import torch
import torch.nn.functional as F

x, t, w = torch.ones(3, 4), torch.tensor([0, 1, 2]), torch.ones(4, requires_grad=True)
calls = [
    lambda: F.cross_entropy(x, t[:2]),
    lambda: F.cross_entropy(x, t + 2),
    lambda: F.cross_entropy(x, t - 1),
    lambda: F.cross_entropy(x, t, weight=torch.ones(3)),
    lambda: F.cross_entropy(x, x, weight=torch.ones(3)),
    lambda: F.cross_entropy(x, t, weight=w),
    lambda: F.cross_entropy(x, t, weight=torch.ones(4).double()),
    lambda: F.cross_entropy(x, t, label_smoothing=1.5),
    lambda: F.cross_entropy(x, x, label_smoothing=1.5),
    lambda: F.cross_entropy(x, x, ignore_index=2),
    lambda: F.cross_entropy(torch.tensor(1.0), t),
    lambda: F.cross_entropy(x, t.int()),
    lambda: F.cross_entropy(x, t[:, None]),
    lambda: F.cross_entropy(x, x.long()),
    lambda: F.cross_entropy(x.long(), t),
    lambda: F.cross_entropy(torch.ones(2, 4, 3), torch.ones(2, 4).long()),
    lambda: F.cross_entropy(torch.ones(2, 4, 3, 2), torch.zeros(2, 3, 3).long()),
    lambda: F.cross_entropy(torch.ones(2, 4, 3, 2), torch.zeros(2, 3, 2).long(), weight=torch.ones(3)),
    lambda: F.nll_loss(x[0], t),
    lambda: F.nll_loss(torch.tensor(1.0), t),
    lambda: F.mse_loss(x, x, weight=w),
    lambda: F.mse_loss(x, x, reduction="all"),
    lambda: F.mse_loss(x, x, weight=x, reduction="all"),
    lambda: F.mse_loss(x.long(), x.long()),
    lambda: F.mse_loss(x, torch.ones(5)),
    lambda: F.smooth_l1_loss(x, x, beta=-1.0),
    lambda: F.huber_loss(x, x, delta=0.0),
    lambda: F.soft_margin_loss(x, w),
    lambda: F.binary_cross_entropy(x, x[0]),
    lambda: F.binary_cross_entropy(2 * x, x),
    lambda: F.binary_cross_entropy(x, x.double()),
    lambda: F.binary_cross_entropy(x, x, weight=w),
    lambda: F.binary_cross_entropy(x.long(), x.long()),
    lambda: F.binary_cross_entropy_with_logits(x, x[0]),
    lambda: F.binary_cross_entropy_with_logits(x[0], x[0], weight=x),
    lambda: F.binary_cross_entropy_with_logits(x, x, pos_weight=w),
    lambda: F.kl_div(x.long(), x, reduction="sum"),
    lambda: F.kl_div(x.to(torch.complex64), x, reduction="sum"),
    lambda: F.poisson_nll_loss(x, x, reduction="all"),
    lambda: F.gaussian_nll_loss(x, x, -x),
    lambda: F.gaussian_nll_loss(x, x, -1.0),
    lambda: F.gaussian_nll_loss(x, x, torch.ones(2)),
    lambda: F.gaussian_nll_loss(x, x, x, reduction="all"),
    lambda: F.margin_ranking_loss(x, x[0], x),
    lambda: F.multi_margin_loss(x, t, p=3),
    lambda: F.multi_margin_loss(x, t, weight=torch.ones(3)),
    lambda: F.multi_margin_loss(x, t, weight=x),
    lambda: F.multi_margin_loss(x, t[:2]),
    lambda: F.multi_margin_loss(x, t + 2),
    lambda: F.multi_margin_loss(x, t.int()),
    lambda: F.multi_margin_loss(x[None], t),
    lambda: F.multi_margin_loss(x.long(), t),
    lambda: F.multilabel_margin_loss(x, t),
    lambda: F.multilabel_margin_loss(x, x.long() + 3),
    lambda: F.multilabel_soft_margin_loss(x, x, reduction="all"),
    lambda: F.cosine_embedding_loss(x, x, x),
    lambda: F.cosine_embedding_loss(x, x[0], t),
    lambda: F.triplet_margin_loss(x, x, x[0]),
    lambda: F.triplet_margin_loss(x, x, x, margin=0),
    lambda: F.triplet_margin_with_distance_loss(x, x, x[0]),
    lambda: F.triplet_margin_with_distance_loss(x, x, x, margin=-1),
    lambda: F.triplet_margin_with_distance_loss(x, x, x, reduction="all"),
    lambda: F.cosine_similarity(x.long(), x.long()),
    lambda: F.one_hot(x),
    lambda: F.one_hot(t, 2),
    lambda: F.one_hot(t - 1),
    lambda: F.one_hot(t[:0]),
    lambda: torch.func.vmap(F.one_hot)(t),
    lambda: torch.nn.HuberLoss(delta="a"),
    lambda: torch.nn.MultiMarginLoss(p=3),
    lambda: torch.nn.MultiMarginLoss(weight=x),
    lambda: torch.nn.TripletMarginLoss(margin=0),
    lambda: torch.nn.TripletMarginWithDistanceLoss(margin=0),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError) as e:
        print(type(e).__name__, e)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    F.mse_loss(x, x[:1])
    F.huber_loss(x, x[:1])
    F.kl_div(x, x)
    F.l1_loss(x, x, size_average=False)
    F.nll_loss(x, t, reduce=False)
    F.binary_cross_entropy(x, x, reduction="elementwise_mean")
    torch.nn.BCELoss(size_average=True)
    torch.nn.NLLLoss2d()
for c in caught:
    print(c.category.__name__, c.message)
