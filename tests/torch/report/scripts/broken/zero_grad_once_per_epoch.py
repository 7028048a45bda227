# expect: doubled cleared-per-epoch-stepped-per-batch net.embedding.weight, net.output.weight, net.output.bias
# check: doubled(net.embedding.weight, net.output.weight)
import torch
import torch.nn as nn


class Bigram(nn.Module):
    def __init__(self, n_letters, width=8):
        super().__init__()
        self.embedding = nn.Embedding(n_letters, width)
        self.output = nn.Linear(width, n_letters)

    def forward(self, letters):
        return self.output(self.embedding(letters))


torch.manual_seed(1337)
text = "the quick brown fox jumps over the lazy dog " * 4
alphabet = sorted(set(text))
ids = torch.tensor([alphabet.index(c) for c in text])
net = Bigram(len(alphabet))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)

for epoch in range(4):
    optimizer.zero_grad()
    for chunk in ids.split(45):
        if len(chunk) < 2:
            continue
        loss = nn.functional.cross_entropy(net(chunk[:-1]), chunk[1:])
        loss.backward()  # <- here
        optimizer.step()
    print(f"epoch {epoch} {loss.item():.3f}")
