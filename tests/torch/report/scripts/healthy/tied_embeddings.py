# check: losses[-1] < losses[0] and lm.out.weight is lm.emb.weight
import torch
import torch.nn as nn


class LM(nn.Module):
    def __init__(self, vocab=15, width=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        return self.out(h)


torch.manual_seed(0)
lm = LM()
ids = torch.arange(31).remainder(7).unsqueeze(0)  # tokens 7 to 14 never occur
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)
losses = []
for _ in range(20):
    loss = nn.functional.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
