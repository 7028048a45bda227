# expect: loss hard-choice-has-no-gradient enc.weight, enc.bias
# check: missing(enc.weight, enc.bias) and not missing(dec.weight)
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(11)
K, D = 8, 4
enc, dec = nn.Linear(10, K), nn.Linear(D, 10)
codebook = nn.Parameter(torch.randn(K, D))
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), codebook], lr=1e-2)

frames = torch.randn(64, 10)


def quantize(logits):
    one_hot = F.one_hot(logits.argmax(dim=-1), K).float()  # <- here
    return one_hot @ codebook


for it in range(15):
    out = dec(quantize(enc(frames)))
    loss = F.mse_loss(out, frames)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 5 == 0:
        print(it, loss.item())
