import torch


class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("some error in backward")


def compute(x):
    y = Bad.apply(x)
    return y.sum()


x = torch.ones(2, requires_grad=True)
try:
    compute(x).backward()
except RuntimeError as e:
    print(type(e).__name__, e)
with torch.autograd.detect_anomaly():
    try:
        compute(x).backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
