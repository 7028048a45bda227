"""Gradients that are clipped, and parameters as one vector."""

import warnings

import torch
from torch import nn
from torch.nn import utils

warnings.simplefilter("always")


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def make():
    found = [torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True), torch.zeros(1)]
    found[0].grad, found[1].grad = torch.tensor([3.0, 0.0]), torch.tensor([-4.0])
    return found


for norm in (2, 1.0, float("inf"), "inf", 0.5):
    ps = make()
    print(norm, utils.clip_grad_norm_(ps, 1.0, norm_type=norm), [p.grad for p in ps])
ps = make()
print(utils.clip_grad_norm_(iter(ps), 100.0, foreach=True), [p.grad for p in ps])
print(utils.clip_grad_norm_(ps[0], 1.0), utils.clip_grad_norm_([], 1.0), utils.clip_grad_norm_((p for p in []), 1.0))
print(
    utils.clip_grad_norm(ps, 0.5), utils.get_total_norm([p.grad for p in ps[:2]]), utils.get_total_norm(torch.ones(4))
)
utils.clip_grads_with_norm_(ps, 0.1, torch.tensor(1.0), foreach=False)
print([p.grad for p in ps])
utils.clip_grad_value_(ps, 0.01)
print([p.grad for p in ps])
utils.clip_grad_value_(ps[0], 1, foreach=True)
ps[0].grad = torch.tensor([float("inf"), 1.0])
print(utils.clip_grad_norm_(ps, 1.0), ps[0].grad)
show(lambda: utils.clip_grad_norm_(ps, 1.0, error_if_nonfinite=True))

m = nn.Linear(2, 1)
v = utils.parameters_to_vector(m.parameters())
print(v.shape, v.grad_fn.name())
new = torch.arange(3.0)
utils.vector_to_parameters(new, m.parameters())
print(m.weight, m.bias, utils.parameters_to_vector([]) if False else "")
new[0] = 9
print(m.weight)
show(lambda: utils.vector_to_parameters([1], m.parameters()))
show(lambda: utils.vector_to_parameters(torch.ones(1), m.parameters()))
s = utils.skip_init(nn.Linear, 2, 3)
print(s)
show(lambda: utils.skip_init(int))
show(lambda: utils.skip_init(nn.Sequential))
torch.manual_seed(0)
a = torch.rand(1)
torch.manual_seed(0)
utils.skip_init(nn.Linear, 2, 3)
print(torch.equal(a, torch.rand(1)))
