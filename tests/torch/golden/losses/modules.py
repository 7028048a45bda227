# Losses and distances as modules: repr, states, attributes; and adaptive softmax.
import torch
from torch import nn

w = torch.tensor([1.0, 2.0, 0.5])
for m in (
    nn.L1Loss(), nn.MSELoss(reduction="sum"), nn.SmoothL1Loss(beta=0.5), nn.HuberLoss(delta=2), nn.NLLLoss(w),
    nn.CrossEntropyLoss(w, label_smoothing=0.1), nn.BCELoss(w), nn.BCEWithLogitsLoss(pos_weight=w),
    nn.KLDivLoss("none"), nn.PoissonNLLLoss(), nn.GaussianNLLLoss(), nn.HingeEmbeddingLoss(), nn.MarginRankingLoss(),
    nn.SoftMarginLoss(), nn.MultiMarginLoss(), nn.MultiLabelMarginLoss(), nn.MultiLabelSoftMarginLoss(),
    nn.CosineEmbeddingLoss(), nn.TripletMarginLoss(), nn.TripletMarginWithDistanceLoss(), nn.CTCLoss(),
    nn.PairwiseDistance(), nn.CosineSimilarity(), nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10], head_bias=True),
):  # fmt: skip
    print(m, list(m.state_dict()), type(m).__module__, m.__constants__ if hasattr(m, "__constants__") else None)
x, y, s = torch.tensor([[0.5, 0.25, 1.0]]), torch.tensor([[1.0, 0.5, 0.25]]), torch.tensor([[1.0, -1.0, 1.0]])
t = torch.tensor([2])
torch.set_printoptions(precision=3)
print(nn.L1Loss()(x, y), nn.MSELoss()(x, y), nn.SmoothL1Loss()(x, y), nn.HuberLoss()(x, y), nn.NLLLoss(w)(x, t))
print(nn.CrossEntropyLoss(w)(x, t), nn.BCELoss(w)(x, y), nn.BCEWithLogitsLoss(pos_weight=w)(x, y))
print(nn.KLDivLoss(reduction="sum")(x, y), nn.PoissonNLLLoss()(x, y), nn.GaussianNLLLoss()(x, y, y))
print(nn.HingeEmbeddingLoss()(x, s), nn.MarginRankingLoss()(x, y, s), nn.SoftMarginLoss()(x, s))
print(nn.MultiMarginLoss()(x, t), nn.MultiLabelMarginLoss()(x, torch.tensor([[1, -1, 0]])))
print(nn.MultiLabelSoftMarginLoss()(x, y), nn.CosineEmbeddingLoss()(x, y, t.sign()), nn.TripletMarginLoss()(x, y, s))
print(nn.TripletMarginWithDistanceLoss()(x, y, s), nn.PairwiseDistance()(x, y), nn.CosineSimilarity()(x, y))
torch.manual_seed(0)
m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10], div_value=2.0)
x, t = torch.randn(4, 8), torch.tensor([0, 7, 19, 3])
print(m(x, t), m(x[0], t[0]), m.predict(x), m.predict(5 * x), m.log_prob(x).exp().sum(1))
m(x, t).loss.backward()
print([p.grad.abs().sum() for p in m.parameters()])
m.reset_parameters()
calls = [
    lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, []),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 5]),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 20]),
    lambda: m(x, t[:2]),
    lambda: m(x[0], t[:1].repeat(8)),
    lambda: m(x, t[0]),
    lambda: m(x, t[:, None]),
    lambda: m(x, t + 5),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, e)
