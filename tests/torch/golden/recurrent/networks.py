# Recurrent networks: results, states, nodes and layouts, in all their forms.
import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
for kind in (nn.RNN, nn.LSTM, nn.GRU):
    for options in (
        {},
        {"bias": False, "batch_first": True},
        {"num_layers": 2, "dropout": 0.5},
        {"bidirectional": True, "num_layers": 2, "batch_first": True},
    ):
        model = kind(2, 3, **options)
        print(model)
        out, state = model(torch.randn(3, 2, 2))
        states = state if isinstance(state, tuple) else (state,)
        print(out.shape, out.stride(), out.grad_fn.name(), [(s.shape, s.grad_fn.name()) for s in states])
        print(
            torch.round(out.detach(), decimals=5).flatten()[:6],
            torch.round(states[-1].detach(), decimals=5).flatten()[:3],
        )
        sum((x * x).sum() for x in (out, *states)).backward()
        print([(n, round(p.grad.sum().item(), 5)) for n, p in model.named_parameters()])
model = nn.LSTM(2, 4, proj_size=2, num_layers=2)
out, (h, c) = model(torch.randn(3, 2))
print(model, out.shape, h.shape, c.shape, out.grad_fn.name())
print(torch.round(out.detach(), decimals=5), [(n, p.shape) for n, p in model.named_parameters()])
model = nn.RNN(2, 3, nonlinearity="relu")
print(model.mode, model.nonlinearity, [[w.shape for w in layer] for layer in model.all_weights])
out, h = model(torch.ones(2, 2), torch.ones(1, 3))
print(torch.round(out.detach(), decimals=5), torch.round(h.detach(), decimals=5))
