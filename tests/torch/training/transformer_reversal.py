"""A Transformer learns to reverse sequences of different lengths: padding and causal masks, label smoothing, AdamW."""

import math
import warnings

import torch
from torch import nn

torch.manual_seed(7)
warnings.filterwarnings("ignore", "The PyTorch API of nested tensors")
TOKENS, WIDTH, LONGEST = 12, 32, 7
PAD, START = 0, 1


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, WIDTH, padding_idx=PAD)
        place = torch.arange(LONGEST + 1).unsqueeze(1)
        waves = place * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(100.0) / WIDTH))
        self.register_buffer("places", torch.stack([waves.sin(), waves.cos()], 2).flatten(1))
        self.transformer = nn.Transformer(WIDTH, 4, 2, 2, 64, dropout=0.1, activation="gelu", batch_first=True)
        self.head = nn.Linear(WIDTH, TOKENS)

    def embed(self, x):
        return self.embedding(x) * math.sqrt(WIDTH) + self.places[: x.size(1)]

    def forward(self, source, target):
        causal = nn.Transformer.generate_square_subsequent_mask(target.size(1)).isinf()
        out = self.transformer(
            self.embed(source),
            self.embed(target),
            tgt_mask=causal,
            src_key_padding_mask=source == PAD,
            tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=source == PAD,
        )
        return self.head(out)


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_of = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
for _ in range(50):
    lengths = torch.randint(3, LONGEST + 1, (16,))
    words = [torch.randint(2, TOKENS, (n,)) for n in lengths.tolist()]
    source = nn.utils.rnn.pad_sequence(words, batch_first=True, padding_value=PAD)
    turned = nn.utils.rnn.pad_sequence([w.flip(0) for w in words], batch_first=True, padding_value=PAD)
    target = torch.cat([torch.full((16, 1), START), turned[:, :-1]], 1)
    loss = loss_of(model(source, target).flatten(0, 1), turned.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
model.eval()
with torch.no_grad():
    print(loss_of(model(source, target).flatten(0, 1), turned.flatten()).item())
