# All kinds of dropout draw torch's numbers, in place or not.
import torch
from torch import nn
from torch.nn import functional as F

kinds = [nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout]
shapes = {
    nn.Dropout1d: [(3, 2), (2, 3, 2)],
    nn.Dropout2d: [(2, 3, 2), (1, 3, 2, 1)],
    nn.Dropout3d: [(3, 1, 2, 1), (1, 3, 2, 1, 1)],
}
for kind in kinds:
    for shape in shapes.get(kind, [(2, 3)]):
        for inplace in (False, True):
            torch.manual_seed(5)
            layer = kind(0.5, inplace)
            x = torch.ones(shape, requires_grad=True)
            y = layer(x * 1)
            y.sum().backward()
            print(layer, [round(v, 4) for v in y.flatten().tolist()], [round(v, 4) for v in x.grad.flatten().tolist()])
            print(layer.eval()(x).equal(x))


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda: nn.Dropout(1.5))
attempt(lambda: F.dropout(torch.ones(2), -0.5))
attempt(lambda: F.dropout1d(torch.ones(2)))
attempt(lambda: F.dropout2d(torch.ones(2, 3), 0.0))
attempt(lambda: F.dropout3d(torch.ones(2, 3, 1), 0.0))
attempt(lambda: F.dropout2d(torch.ones(2)))
for f in (torch.dropout, torch.alpha_dropout, torch.feature_alpha_dropout, torch.native_dropout):
    for dtype in (torch.int64, torch.bool):
        attempt(lambda: f(torch.ones(2, 3).to(dtype), 0.5, True))
attempt(lambda: F.dropout(torch.ones(2, dtype=torch.complex64), 0.5))
attempt(lambda: F.alpha_dropout(torch.ones(2, dtype=torch.complex64), 0.5, True))
