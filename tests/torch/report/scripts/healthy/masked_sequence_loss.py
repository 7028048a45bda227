# check: losses[-1] < losses[0] and model.emb.weight.grad[0].abs().sum() == 0
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0
torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8, padding_idx=PAD)
        self.out = nn.Linear(8, 5)

    def forward(self, words):
        return self.out(self.emb(words))


words = torch.randint(1, 20, (6, 10))
words[3:, 6:] = PAD
tags = words % 5
tags_for_loss = tags.masked_fill(words == PAD, -100)
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=0.05)
losses = []
for _ in range(15):
    logits = model(words)
    per_word = F.cross_entropy(logits.transpose(1, 2), tags, reduction="none")
    mask = (words != PAD).float()
    loss = (per_word * mask).sum() / mask.sum()
    with torch.no_grad():
        same = F.cross_entropy(logits.transpose(1, 2), tags_for_loss)
    assert torch.allclose(loss, same, atol=1e-5)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
