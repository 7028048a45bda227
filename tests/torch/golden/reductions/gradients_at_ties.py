import torch


def gradient(f, data):
    x = torch.tensor(data, requires_grad=True)
    f(x).sum().backward()
    return x.grad


ties = [2.0, 1.0, 2.0, 2.0]
print("max()", gradient(lambda x: x.max(), ties))
print("max(0)", gradient(lambda x: x.max(0).values, ties))
print("amax", gradient(lambda x: x.amax(), ties), gradient(lambda x: x.amax(0), ties))
print("min()", gradient(lambda x: x.min(), [1.0, 1.0, 3.0]), gradient(lambda x: x.min(0)[0], [1.0, 1.0, 3.0]))
print("amin", gradient(lambda x: x.amin((0, 1)), [[1.0, 1.0], [1.0, 2.0]]))
print("median", gradient(lambda x: x.median(), ties), gradient(lambda x: x.median(0).values, ties))
print("maximum", gradient(lambda x: torch.maximum(x, torch.full((4,), 2.0)), ties))
print("kthvalue", gradient(lambda x: x.kthvalue(3).values, ties))
print("cummax", gradient(lambda x: x.cummax(0).values, ties))
print("sort", gradient(lambda x: x.sort().values * torch.arange(4.0), ties))
print("norm inf", gradient(lambda x: x.norm(p=float("inf")), ties))
print("aminmax", gradient(lambda x: x.aminmax().max, ties))
print("logsumexp", gradient(lambda x: x.logsumexp(0), [0.0, 0.0]))
