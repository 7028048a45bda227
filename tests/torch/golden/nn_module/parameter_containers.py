"""ParameterList and ParameterDict."""

from collections import OrderedDict

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1)), "text"])
print(p, len(p), [type(x).__name__ for x in p], [n for n, _ in p.named_parameters()])
p.append(torch.ones(3)).extend([torch.ones(4)])
p += [5]
print(len(p), p[-1], p[1:3], p[0].requires_grad, list(p.state_dict()))
p[0] = torch.zeros(7)
print(p[0], "0" in dir(p))
for bad in (lambda: p[9], lambda: p["x"], lambda: p.extend(3), lambda: p.extend(torch.ones(2)), lambda: p(1)):
    show(bad)

d = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1))})
print(d, list(d), len(d), "a" in d, list(reversed(d)))
d["c"] = torch.ones(3)
d.update(OrderedDict(e=torch.ones(1), d=4))
d.update([["f", torch.ones(1)]])
print(list(d.keys()), [type(v).__name__ for v in d.values()], [k for k, _ in d.items()])
print(d.pop("f"), d.popitem(), d.get("zz"), d.get("zz", 1), d.setdefault("g", torch.ones(1)), d.setdefault("g"))
print(list(d.copy()), list(d | nn.ParameterDict({"h": 1})), list(OrderedDict(i=1) | d))
d |= {"k": torch.ones(1)}
print(list(d), [n for n, _ in d.named_parameters()])
print(d.fromkeys(["x", "y"], 3))
del d["a"]
for bad in (lambda: d["zz"], lambda: d.update(3), lambda: d.update([3]), lambda: d.update([(1, 2, 3)]), lambda: d(1)):
    show(bad)
show(lambda: d.__setitem__(3, 1))
show(lambda: d.__getitem__(3))
d = nn.ParameterDict({"a": torch.ones(1)})
d.clear()
print(d, len(d))
