# Cells: steps, nodes, and what they refuse.
import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
z = torch.zeros
for cell in (nn.RNNCell(2, 3), nn.RNNCell(2, 3, nonlinearity="relu", bias=False), nn.LSTMCell(2, 3), nn.GRUCell(2, 3)):
    print(cell, [(n, p.shape) for n, p in cell.named_parameters()])
    for x in (torch.randn(4, 2), torch.randn(2)):
        out = cell(x)
        outs = out if isinstance(out, tuple) else (out,)
        print([(o.shape, torch.round(o.detach(), decimals=4)) for o in outs])
    state = (torch.ones(4, 3), torch.ones(4, 3)) if isinstance(cell, nn.LSTMCell) else torch.ones(4, 3)
    out = cell(torch.ones(4, 2), state)
    outs = out if isinstance(out, tuple) else (out,)
    print([o.grad_fn.name() for o in outs])
    outs[0].sum().backward()
    print([torch.round(p.grad.sum(), decimals=3) for p in cell.parameters()])
    show(lambda: cell(z(1, 2, 3)))
    show(lambda: cell(z(4, 3)))
    show(lambda: cell(z(4, 2), z(1, 1, 3) if not isinstance(cell, nn.LSTMCell) else (z(1, 1, 3), z(4, 3))))
    show(lambda: cell(z(4, 2), z(3, 3) if not isinstance(cell, nn.LSTMCell) else (z(4, 3), z(3, 3))))
    show(lambda: cell(z(4, 2), z(4, 2) if not isinstance(cell, nn.LSTMCell) else (z(4, 2), z(4, 3))))
show(lambda: nn.RNNCell(2, 3, nonlinearity="sine")(z(1, 2)))
show(lambda: torch.lstm_cell(z(3, 4), [z(3, 5)], z(20, 4), z(20, 5)))
show(lambda: torch.lstm_cell(z(3, 4), [z(3, 5)] * 2, z(20, 4), z(19, 5)))
show(lambda: torch.gru_cell(z(3, 4), z(3, 5), z(14, 4), z(15, 5)))
x, h, c = (torch.full((1, 1), v, dtype=torch.float64, requires_grad=True) for v in (0.5, 0.25, -1.0))
w = [torch.linspace(-1, 1, 4, dtype=torch.float64).view(4, 1).requires_grad_() for _ in range(2)]
out = torch.lstm_cell(x, (h, c), *w)
grads = torch.autograd.grad(out[0] + out[1], [x, h, c, *w], create_graph=True)
print([torch.round(g.detach(), decimals=6).flatten() for g in grads])
print([torch.round(g, decimals=6).flatten() for g in torch.autograd.grad(sum(g.sum() for g in grads), [x, h, c, *w])])
