# expect: zero loss-masked-to-nothing tagger.emb.weight, tagger.out.weight
# check: zero(tagger.emb.weight, tagger.out.weight)
# tag words; the padding must not count
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


class Tagger(nn.Module):
    def __init__(self, vocab, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab, 6)
        self.out = nn.Linear(6, tags)

    def forward(self, words):
        return self.out(self.emb(words))


def masked_loss(logits, words, tags):
    mask = (words < PAD).float()  # <- here
    per_word = F.cross_entropy(logits.transpose(1, 2), tags, reduction="none")
    return (per_word * mask).sum() / mask.sum().clamp(min=1)  # <- here


torch.manual_seed(0)
words = torch.randint(1, 20, (4, 9))
words[1:, 6:] = PAD
tags = words % 5
tagger = Tagger(20, 5)
optimizer = torch.optim.Adam(tagger.parameters())
for _ in range(5):
    loss = masked_loss(tagger(words), words, tags)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
