# Connectionist temporal classification.
import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
torch.manual_seed(0)
scores = torch.randn(6, 2, 4)
p = scores.log_softmax(2).requires_grad_()
t = torch.tensor([[1, 2], [3, 3]])
forms = {
    "padded": (p, t, (6, 5), (2, 2)),
    "joined": (p, t.flatten(), torch.tensor([6, 5]), torch.tensor([2, 2])),
    "short": (p, t, (6, 5), (2, 1)),
    "int": (p, t.int(), torch.tensor([6, 4]).int(), torch.tensor([1, 2]).int()),
    "empty": (p, t, (6, 5), (0, 0)),
    "one": (p[:, 0], t[0], torch.tensor(6), torch.tensor(2)),
    "impossible": (p, t, (1, 5), (2, 2)),
}
for name, args in forms.items():
    for r in ("none", "mean", "sum"):
        for zero in (False, True):
            out = F.ctc_loss(*args, reduction=r, zero_infinity=zero)
            print(name, r, zero, out)
            print(torch.autograd.grad(out.sum(), p)[0][:2])
print(torch.nn.CTCLoss(blank=3, reduction="sum")(p, t % 3, (6, 6), (2, 2)), torch.nn.CTCLoss())
(g,) = torch.autograd.grad(F.ctc_loss(*forms["padded"]), p, create_graph=True)
print(g.grad_fn.name())
calls = [
    lambda: g.sum().backward(),
    lambda: F.ctc_loss(p, t, (6, 7), (2, 2)),
    lambda: F.ctc_loss(p, t, (6, -1), (2, 2)),
    lambda: F.ctc_loss(p, t, (6, 5), (2, -1)),
    lambda: F.ctc_loss(p, t, (6,), (2, 2)),
    lambda: F.ctc_loss(p, t, (6, 5), (2,)),
    lambda: F.ctc_loss(p, t, (6, 5), (2, 3)),
    lambda: F.ctc_loss(p, t, (6, 5), (2, 2), blank=4),
    lambda: F.ctc_loss(p, t.flatten()[:3], (6, 5), (2, 2)),
    lambda: F.ctc_loss(p, t[:1], (6, 5), (2, 2)),
    lambda: F.ctc_loss(p, t[None], (6, 5), (2, 2)),
    lambda: F.ctc_loss(p, t, torch.tensor([6.0, 5.0]), torch.tensor([2, 2])),
    lambda: F.ctc_loss(p, t, torch.tensor([6, 5]), torch.tensor([2.0, 2.0])),
    lambda: F.ctc_loss(p.half(), t, (6, 5), (2, 2)),
    lambda: F.ctc_loss(p[:, :0], t[:0], (), ()),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
