"""Sequential, ModuleList and ModuleDict."""

from collections import OrderedDict

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def names(m):
    return [f"{k}:{type(v).__name__}{getattr(v, 'out_features', '')}" for k, v in m._modules.items()]


def lin(n):
    return nn.Linear(1, n)


s = nn.Sequential(lin(1), lin(2), lin(3))
print(names(s[1:]), s[-1].out_features, s[0].out_features, len(s), [m.out_features for m in s])
show(lambda: s[3])
show(lambda: s["0"])
s[1] = nn.Identity()
del s[0]
print(names(s))
s.append(lin(4)).insert(0, lin(0)).insert(-1, lin(9)).extend([lin(5)])
print(names(s))
show(lambda: s.insert(99, lin(1)))
show(lambda: s.insert(0, 3))
print(s.pop(0).out_features, names(s.pop(slice(0, 2))), names(s))
del s[1:]
print(names(s + nn.Sequential(lin(7))), names(s * 2), names(2 * s))
s += nn.Sequential(lin(8))
s *= 2
print(names(s), "0" in dir(s), "append" in dir(s))
for bad in (lambda: s + [1], lambda: s.__iadd__(3), lambda: s * 0, lambda: s * 1.5, lambda: s.__imul__(-1)):
    show(bad)
named = nn.Sequential(OrderedDict(a=nn.Identity(), b=lin(2)))
print(named, named.a, named[1], named(torch.ones(1)).shape)
named[0] = lin(3)
print(names(named))
del named[0]
print(names(named))

m = nn.ModuleList([lin(1), lin(2)])
m += [lin(3)]
m.extend(nn.ModuleList([lin(4)]))
m.append(lin(5))
m.insert(1, nn.Identity())
print(names(m), names(m[1:3]), names(m + [lin(6)]), m[-1].out_features, len(m), "1" in dir(m))
m[0] = nn.Identity()
del m[-1]
del m[0:2]
print(names(m), m.pop(1).out_features, names(m))
for bad in (lambda: m[5], lambda: m.extend(3), lambda: m(1), lambda: m.append(3), lambda: m["x"]):
    show(bad)

d = nn.ModuleDict({"a": lin(1)})
d["b"] = lin(2)
d.update([("c", lin(3)), ["d", lin(4)]])
d.update(nn.ModuleDict({"e": lin(5)}))
print(names(d), list(d), "a" in d, len(d), list(d.keys()), [v.out_features for v in d.values()], len(d.items()))
print(d.pop("a").out_features, d["b"].out_features, d.b.out_features)
del d["b"]
for bad in (lambda: d["x"], lambda: d.update(3), lambda: d.update([3]), lambda: d.update([(1, 2, 3)])):
    show(bad)
show(lambda: d.update([("x", 3)]))
show(lambda: d.__setitem__("keys", lin(1)))
d.clear()
print(d, len(d))
c = nn.Container(a=lin(1))
print(c)
