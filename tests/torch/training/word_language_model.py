"""A model of words as PyTorch's example has it: an LSTM with tied weights, truncated steps through time, plain SGD."""

import torch
from torch import nn

torch.manual_seed(1111)
TEXT = (
    "in the morning the sun rose over the quiet hills and the river ran down to the sea . the old man walked along "
    "the river and watched the boats . in the evening the boats came home and the sun went down over the sea . "
) * 6


class Corpus:
    def __init__(self, text):
        self.words = sorted(set(text.split()))
        index = {w: i for i, w in enumerate(self.words)}
        self.ids = torch.tensor([index[w] for w in text.split()], dtype=torch.int64)


def batchify(data, size):
    n = data.size(0) // size
    return data.narrow(0, 0, n * size).view(size, -1).t().contiguous()


class RNNModel(nn.Module):
    def __init__(self, words, width, layers, dropout=0.2):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, layers, dropout=dropout)
        self.decoder = nn.Linear(width, words)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        self.width, self.layers = width, layers

    def forward(self, words, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(words)), hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.decoder.out_features)
        return nn.functional.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, size):
        weight = next(self.parameters())
        return weight.new_zeros(self.layers, size, self.width), weight.new_zeros(self.layers, size, self.width)


corpus = Corpus(TEXT)
data = batchify(corpus.ids, 4)
model = RNNModel(len(corpus.words), 24, 2)
criterion = nn.NLLLoss()
lr, bptt = 2.0, 7
for epoch in range(3):
    model.train()
    hidden = model.init_hidden(4)
    for i in range(0, data.size(0) - 1, bptt):
        n = min(bptt, data.size(0) - 1 - i)
        source, target = data[i : i + n], data[i + 1 : i + 1 + n].reshape(-1)
        model.zero_grad()
        hidden = tuple(h.detach() for h in hidden)
        output, hidden = model(source, hidden)
        loss = criterion(output, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        print(loss.item())
    lr /= 1.5
