"""Train a small language model on a book, with a torch script that runs where torch is not installed.

    pip install 'funcgrad[examples]'
    python -m funcgrad.torch -m doctest -v examples/torch_scripts/gpt.py    # the story
    python -m funcgrad.torch examples/torch_scripts/gpt.py                  # the full work, with its picture
    python examples/torch_scripts/gpt.py                                    # the same with PyTorch

The model reads 64 letters of *Alice's Adventures in Wonderland* and says how likely each letter is to come next. It is
a GPT of 4 layers with 4 heads and of width 128; here a smaller one, so that the story is short.

>>> text, letters = book()
>>> _ = torch.manual_seed(0)
>>> model = GPT(len(letters), layers=1, heads=2, width=32)
>>> x, y = next(batches(text))
>>> scores, loss = model(x, y)
>>> scores.shape
torch.Size([12, 64, 72])

At first each of the 72 letters is as likely as any other, to about a hundredth; each step makes the loss smaller:

>>> abs(loss.item() - math.log(72)) < 0.02
True
>>> losses = train(model, text, 60)
>>> losses[-1] < 0.8 * losses[0]
True

No position sees what follows it: another last letter does not change the scores of those before it.

>>> other = x.clone()
>>> other[:, -1] = (x[:, -1] + 1) % 72
>>> before, after = model(x), model(other)
>>> torch.allclose(before[:, :-1], after[:, :-1]), torch.allclose(before[:, -1], after[:, -1])
(True, False)
"""

import argparse
import json
import lzma
import math
import time
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

LAYERS, HEADS, WIDTH, BLOCK, BATCH = 4, 4, 128, 64, 12
HIGHEST_RATE, LOWEST_RATE, WARM_UP = 1e-3, 1e-4, 50
DATA = Path(__file__).parent.parent / "data"


def book():
    """The letters of the book as numbers, and which letter each number is.

    >>> text, letters = book()
    >>> len(text), len(letters), "".join(letters[i] for i in text[:32].tolist())
    (148459, 72, "ALICE'S ADVENTURES IN WONDERLAND")
    """
    with lzma.open(DATA / "alice.txt.xz", "rt") as f:
        text = f.read().strip()
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    return torch.tensor([number[letter] for letter in text]), letters


class Attention(nn.Module):
    """Each position looks at those before it: with several heads, each in a part of the width."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.queries_keys_values(x).split(width, dim=2)
        q, k, v = (p.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).contiguous().view(batch, length, width))


class Block(nn.Module):
    """Attention, and then a network for each position; each adds to what it sees."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.network(self.norm_2(x))


class GPT(nn.Module):
    """Scores of the next letter, for each position of a batch of texts."""

    def __init__(self, letters, layers=LAYERS, heads=HEADS, width=WIDTH, block=BLOCK):
        super().__init__()
        self.block = block
        self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(block, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters, bias=False)
        self.apply(self._start)
        self.head.weight = self.letters.weight  # one table for reading and for writing

    @staticmethod
    def _start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, text, following=None):
        x = self.letters(text) + self.places(torch.arange(text.shape[1]))
        for block in self.blocks:
            x = block(x)
        scores = self.head(self.norm(x))
        if following is None:
            return scores
        return scores, F.cross_entropy(scores.view(-1, scores.shape[-1]), following.reshape(-1))

    @torch.no_grad()
    def continued(self, text, n, temperature=0.8):
        """The text with n more letters, drawn one after the other."""
        for _ in range(n):
            scores = self(text[:, -self.block :])[:, -1] / temperature
            text = torch.cat([text, torch.multinomial(F.softmax(scores, dim=-1), 1)], dim=1)
        return text


def optimizer_of(model):
    """AdamW, which makes matrices smaller at each step, but no biases and factors of norms."""
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=HIGHEST_RATE, betas=(0.9, 0.99))


def rate(step, steps):
    """The learning rate: it rises for a while, and then falls along a cosine.

    >>> [round(rate(s, 1000), 6) for s in (0, 49, 525, 999)]
    [2e-05, 0.001, 0.00055, 0.0001]
    """
    if step < WARM_UP:
        return HIGHEST_RATE * (step + 1) / WARM_UP
    progress = (step - WARM_UP) / (steps - WARM_UP)
    return LOWEST_RATE + 0.5 * (1 + math.cos(math.pi * progress)) * (HIGHEST_RATE - LOWEST_RATE)


def batches(text):
    """Pieces of the text, and the same one letter later, for ever."""
    while True:
        starts = torch.randint(len(text) - BLOCK, (BATCH,)).tolist()
        yield (
            torch.stack([text[i : i + BLOCK] for i in starts]),
            torch.stack([text[i + 1 : i + BLOCK + 1] for i in starts]),
        )


def train(model, text, steps, progress=iter):
    """The loss of each step."""
    optimizer, losses = optimizer_of(model), []
    for step, (x, y) in zip(progress(range(steps)), batches(text), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps)
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def smoothed(losses, n=20):
    """The mean of the last n losses, at each step."""
    return [sum(losses[max(0, i - n + 1) : i + 1]) / min(i + 1, n) for i in range(len(losses))]


def draw(losses, path):
    """The losses, over those that PyTorch had with the same seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    recorded = json.loads((DATA / "gpt_losses.json").read_text())
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(smoothed(recorded), color="tab:orange", linewidth=4, alpha=0.5, label="PyTorch")
    axes.plot(smoothed(losses), color="tab:blue", linewidth=1.2, label="this run")
    axes.set(xlabel="step", ylabel="loss (nats per letter)", title="A GPT of 0.8 million weights learns to write")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--steps", type=int, default=1000, help="of training")
    options.add_argument("--letters", type=int, default=300, help="to write in the end")
    options.add_argument("--out", default="gpt.png", help="the picture")
    options.add_argument("--losses", help="a file for the losses")
    given = options.parse_args()

    from tqdm import tqdm

    torch.manual_seed(0)
    text, letters = book()
    model = GPT(len(letters))
    print(f"{len(text):,} letters, {sum(p.numel() for p in model.parameters()):,} weights")
    start = time.perf_counter()
    losses = train(model, text, given.steps, lambda steps: tqdm(steps, unit="step"))
    each = (time.perf_counter() - start) / given.steps
    print(f"loss {losses[0]:.3f} at first, {smoothed(losses)[-1]:.3f} in the end, {each * 1000:.0f} ms a step")
    if given.losses:
        Path(given.losses).write_text(json.dumps([round(x, 5) for x in losses]))
    begin = torch.tensor([[letters.index("\n")]])
    print("".join(letters[i] for i in model.continued(begin, given.letters)[0].tolist()))
    draw(losses, given.out)


if __name__ == "__main__":
    main()
