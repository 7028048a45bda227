"""Pruning: masks, one on top of the other, and their removal."""

import torch
import torch.nn.utils.prune
from torch import nn
from torch.nn.utils import prune


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def make(n=4, k=3):
    m = nn.Linear(n, k)
    m.weight.data = torch.arange(float(n * k)).reshape(k, n) - 5
    return m


m = make()
print(prune.l1_unstructured(m, "weight", amount=3) is m, m.weight, m.weight_mask, prune.is_pruned(m))
print(
    [n for n, _ in m.named_parameters()],
    [n for n, _ in m.named_buffers()],
    next(iter(m._forward_pre_hooks.values())).amount,
)
prune.ln_structured(m, "weight", amount=1, n=2, dim=1)
print(m.weight, type(next(iter(m._forward_pre_hooks.values()))).__name__)
prune.l1_unstructured(m, "weight", amount=0.25)
container = next(iter(m._forward_pre_hooks.values()))
print(m.weight, len(container), [type(c).__name__ for c in container], type(container[0]).__name__)
m(torch.ones(1, 4)).sum().backward()
print(m.weight_orig.grad)
prune.remove(m, "weight")
print(m.weight, [n for n, _ in m.named_parameters()], prune.is_pruned(m))
show(lambda: prune.remove(m, "weight"))

torch.manual_seed(0)
print(prune.random_unstructured(make(), "weight", 0.5).weight_mask)
print(prune.random_structured(make(), "weight", 1, dim=0).weight_mask)
print(prune.random_structured(make(), "weight", 0, dim=-1).weight_mask)
print(prune.identity(make(), "bias").bias_mask)
print(prune.custom_from_mask(make(), "weight", torch.eye(3, 4)).weight)
print(prune.ln_structured(make(), "weight", 0.4, n=float("inf"), dim=0).weight_mask)
print(prune.ln_structured(make(), "weight", 1, 1, -1, importance_scores=torch.ones(3, 4).cumsum(1)).weight_mask)
print(prune.l1_unstructured(make(), "weight", 1, importance_scores=torch.ones(3, 4).cumsum(1)).weight_mask.sum())
print(prune.L1Unstructured(2).prune(torch.tensor([3.0, 1.0, 2.0])), prune.L1Unstructured(0).prune(torch.ones(2)))
a, b = make(), make(2, 2)
prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=5)
print(a.weight_mask, b.weight_mask)
prune.global_unstructured(
    [(a, "weight")],
    prune.L1Unstructured,
    importance_scores={(a, "weight"): torch.arange(12.0).reshape(3, 4)},
    amount=0.5,
)
print(a.weight_mask)

for f in (
    lambda: prune.l1_unstructured(make(), "weight", "x"),
    lambda: prune.l1_unstructured(make(), "weight", -1),
    lambda: prune.l1_unstructured(make(), "weight", 1.5),
    lambda: prune.l1_unstructured(make(), "weight", 99),
    lambda: prune.ln_structured(make(), "bias", 1, 2, 0),
    lambda: prune.ln_structured(make(), "weight", 1, 2, 5),
    lambda: prune.l1_unstructured(make(), "weight", 1, importance_scores=torch.ones(1)),
    lambda: prune.L1Unstructured(1).prune(torch.ones(2), importance_scores=torch.ones(1)),
    lambda: prune.custom_from_mask(make(), "weight", torch.ones(1)),
    lambda: prune.global_unstructured(3, prune.L1Unstructured),
    lambda: prune.global_unstructured([], prune.L1Unstructured, importance_scores=3),
    lambda: prune.global_unstructured([(make(), "weight")], prune.RandomStructured, amount=1),
    lambda: prune.BasePruningMethod(),
    lambda: prune.PruningContainer().add_pruning_method(3),
):
    show(f)


class Odd(prune.BasePruningMethod):
    PRUNING_TYPE = "odd"

    def compute_mask(self, t, default_mask):
        return default_mask


class NoDim(Odd):
    PRUNING_TYPE = "structured"


for kind in (Odd, NoDim):
    m = make()
    kind.apply(m, "weight")
    show(lambda m=m, kind=kind: kind.apply(m, "weight"))
m = make()
NoDim.dim = -5
prune.identity(m, "weight")
show(lambda: NoDim.apply(m, "weight"))
one = prune.L1Unstructured(1)
one._tensor_name = "weight"
other = prune.L1Unstructured(1)
other._tensor_name = "bias"
