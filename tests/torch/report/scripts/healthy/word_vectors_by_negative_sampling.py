# check: losses[-1] < losses[0]
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
text = torch.arange(200) % 11 + torch.randint(2, (200,))
centre, context = nn.Embedding(12, 6), nn.Embedding(12, 6)
nn.init.zeros_(context.weight)  # as in word2vec
opt = torch.optim.SGD([*centre.parameters(), *context.parameters()], lr=1.0)
counts = torch.bincount(text, minlength=12).float() ** 0.75
losses = []
for epoch in range(15):
    v = centre(text[:-1])
    positive = (v * context(text[1:])).sum(1)
    wrong = torch.multinomial(counts, 199 * 3, replacement=True).view(199, 3)
    negative = torch.bmm(context(wrong), v.unsqueeze(2)).squeeze(2)
    loss = -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
