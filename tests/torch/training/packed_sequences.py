"""Sequences of different lengths, packed, are told apart by a bidirectional GRU; SGD with momentum and a schedule."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

torch.manual_seed(0)
rnn = nn.GRU(2, 12, bidirectional=True)
head = nn.Linear(24, 1)
parameters = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.5, momentum=0.9, nesterov=True)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=50)
loss_of = nn.BCEWithLogitsLoss()
for _ in range(50):
    lengths = torch.randint(2, 9, (16,))
    sequences = [torch.randn(n, 2) for n in lengths.tolist()]
    labels = torch.tensor([float(s[:, 0].sum() > 0) for s in sequences])
    out, h = rnn(pack_sequence(sequences, enforce_sorted=False))
    out, _ = pad_packed_sequence(out)
    logits = head(torch.cat([h[0], h[1]], 1) + out.max(0).values).squeeze(1)
    loss = loss_of(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    print(loss.item())
