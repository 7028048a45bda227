# What recurrent networks refuse.
import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


z = torch.zeros
for options in (
    {"dropout": 2},
    {"dropout": True},
    {"dropout": 0.5},
    {"num_layers": 0},
    {"bias": 1},
    {"batch_first": 1},
    {"hidden_size": 1.0},
    {"hidden_size": 0},
    {"input_size": -1},
    {"proj_size": -1},
    {"proj_size": 3},
):
    show(lambda: nn.LSTM(**{"input_size": 2, "hidden_size": 3, **options}))
show(lambda: nn.GRU(2, 3, proj_size=2))
show(lambda: nn.RNN(2, 3, 1, "sine"))
show(lambda: nn.RNNBase("RNN", 2, 3))
for model in (nn.RNN(2, 3), nn.LSTM(2, 3), nn.GRU(2, 3)):
    show(lambda: model(z(1, 2, 3, 2)))
    show(lambda: model(z(4, 2, 3)))
    show(lambda: model(z(4, 2, 2).double()))
    state = (z(1, 2, 2), z(1, 2, 3)) if isinstance(model, nn.LSTM) else z(1, 2, 2)
    show(lambda: model(z(4, 2, 2), state))
    show(lambda: model(z(4, 2), state))
    flat = (z(1, 3), z(1, 3)) if isinstance(model, nn.LSTM) else z(1, 3)
    show(lambda: model(z(4, 2, 2), flat))
show(lambda: nn.LSTM(2, 3)(z(4, 2, 2), (z(1, 2, 3), z(1, 2, 2))))
show(lambda: torch.rnn_tanh(z(0, 3, 4), z(1, 3, 5), [z(5, 4), z(5, 5)], False, 1, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(2, 3, 5), [z(5, 4), z(5, 5)], False, 1, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 3, 5), [z(5, 4), z(5, 5)], False, 2, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 3, 5), [z(5, 4)] * 4, False, 1, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 3, 5), [z(5, 4), z(5, 5)], True, 1, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 3, 5), [z(5, 4), z(5, 5)], False, 1, 0.0, True, True, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 3, 5), [z(5, 3), z(5, 5)], False, 1, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 2, 5), [z(5, 4), z(5, 5)], False, 1, 0.0, True, False, False))
show(lambda: torch.rnn_tanh(z(2, 3, 4), z(1, 3, 5).double(), [z(5, 4), z(5, 5)], False, 1, 0.0, True, False, False))
show(lambda: torch.lstm(z(2, 3, 4), [z(1, 3, 5)], [z(20, 4), z(20, 5)], False, 1, 0.0, True, False, False))
show(lambda: torch.gru(z(2, 3, 4), z(1, 3, 5), [z(15, 4), z(15, 5)], False, 1, 0.0, True, False))
whole = [t.long() for t in (z(5, 4), z(5, 5))]
show(lambda: torch.rnn_tanh(z(2, 3, 4).long(), z(1, 3, 5).long(), whole, False, 1, 0.0, True, False, False))
