"""A character model: two LSTM layers with dropout, their state carried from batch to batch; Adam, clipped gradients."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(1337)
TEXT = (
    "the quick brown fox jumps over the lazy dog. pack my box with five dozen liquor jugs. how vexingly quick daft "
    "zebras jump! sphinx of black quartz, judge my vow. "
) * 8
CHARACTERS = sorted(set(TEXT))
BATCH, STEPS = 8, 16


class Model(nn.Module):
    def __init__(self, n, width):
        super().__init__()
        self.embedding = nn.Embedding(n, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(width, n)

    def forward(self, x, state=None):
        out, state = self.lstm(self.embedding(x), state)
        return self.head(out), state


data = torch.tensor([CHARACTERS.index(c) for c in TEXT])
data = data[: len(data) // BATCH * BATCH].view(BATCH, -1)
model = Model(len(CHARACTERS), 32)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
state = None
for step in range(50):
    start = step * STEPS % (data.size(1) - STEPS - 1)
    x, y = data[:, start : start + STEPS], data[:, start + 1 : start + STEPS + 1]
    logits, state = model(x, state)
    state = tuple(s.detach() for s in state)
    loss = F.cross_entropy(logits.reshape(-1, len(CHARACTERS)), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(loss.item())
