import torch


class MakeNan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * float("nan")


x = torch.ones(2, requires_grad=True)
MakeNan.apply(x).sum().backward()
print(x.grad)
with torch.autograd.detect_anomaly():
    try:
        MakeNan.apply(x).sum().backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
with torch.autograd.detect_anomaly(check_nan=False):
    MakeNan.apply(x).sum().backward()
    print(x.grad)
