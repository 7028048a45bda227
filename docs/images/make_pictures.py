"""The pictures on docs/pictures.md, and in README.md: computations drawn by funcgrad itself.

python docs/images/make_pictures.py
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import torch

HERE = Path(__file__).resolve().parent / "pictures"


def expression() -> Any:
    """A small function, with a value that counts as a constant."""

    def f(x):
        y = fnp.sin(x)
        z = y * fg.stop_gradient(x)
        return fnp.sum(z)

    return fg.draw(f)(np.array([1.0, 2.0]))


def network() -> Any:
    """Three layers and a loss, on the functional face."""

    def layer(p, x):
        return fnp.tanh(x @ p["w"] + p["b"])

    def loss(params, x, y):
        h = layer(params[0], x)
        h = layer(params[1], h)
        out = h @ params[2]["w"] + params[2]["b"]
        return fnp.mean((out - y) ** 2)

    rng = np.random.default_rng(0)
    sizes = [4, 8, 8, 1]
    params = [{"w": rng.normal(size=(n, m)), "b": np.zeros(m)} for n, m in itertools.pairwise(sizes)]
    return fg.draw(loss)(params, rng.normal(size=(16, 4)), rng.normal(size=(16, 1)))


def cut() -> Any:
    """A gradient that is half lost: NumPy has seen a part of it."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    a = y.detach().numpy()
    loss = (y * torch.from_numpy(a)).sum()
    loss.backward()
    return torch.draw(loss, x=x)


def repaired() -> Any:
    """The same without the cut."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    loss = (y * y).sum()
    loss.backward()
    return torch.draw(loss, x=x)


class Block(torch.nn.Module):
    """Attention and a small network, each added to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attention = torch.nn.MultiheadAttention(width, 2, batch_first=True)
        self.wide, self.narrow = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:
        """One block."""
        h = self.norm1(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.narrow(torch.nn.functional.gelu(self.wide(self.norm2(x))))


class GPT(torch.nn.Module):
    """A language model of six blocks."""

    def __init__(self, tokens: int = 10, width: int = 16) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(tokens, width)
        self.blocks = torch.nn.ModuleList([Block(width) for _ in range(6)])
        self.head = torch.nn.Linear(width, tokens)

    def forward(self, tokens: Any) -> Any:
        """Logits of the next token."""
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def _gpt_loss() -> Any:
    torch.manual_seed(0)
    model = GPT()
    tokens = torch.randint(0, 10, (2, 5))
    return model, torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())


def gpt() -> Any:
    """A language model: 347 nodes, of which six blocks are one."""
    model, loss = _gpt_loss()  # noqa: RUF059  (parameters are called as the caller's variables are)
    return torch.draw(loss, depth=2)


def gpt_open() -> Any:
    """The same with everything open."""
    model, loss = _gpt_loss()  # noqa: RUF059  (as above)
    return torch.draw(loss, depth=9)


def rnn() -> Any:
    """A hundred steps of a recurrent network."""
    torch.manual_seed(0)
    cell = torch.nn.RNNCell(3, 4)
    h = torch.zeros(1, 4)
    for x in torch.randn(100, 1, 3):
        h = cell(x, h)
    loss = h.sum()
    return torch.draw(loss)


def scan() -> Any:
    """The derivative of a loop, recorded: one scan forth, and one back."""

    def run(w, xs):
        def step(h, x):
            h = fnp.tanh(w * h + x)
            return h, h

        _, hs = fg.lax.scan(step, 0.0, xs)
        return fnp.sum(hs)

    return fg.make_tape(fg.grad(run))(0.5, np.ones(100)).draw()


def optimiser() -> Any:
    """A step of Adam as a tape."""

    def adam(w, m, v, x, y):
        def loss(w):
            return fnp.mean((fnp.tanh(x @ w) - y) ** 2)

        g = fg.grad(loss)(w)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        return w - 0.001 * m / (fnp.sqrt(v) + 1e-8), m, v

    return fg.make_tape(adam)(np.ones(3), np.zeros(3), np.zeros(3), np.ones((5, 3)), np.ones(5)).draw()


PICTURES: dict[str, Callable[[], Any]] = {
    f.__name__: f for f in (expression, network, cut, repaired, gpt, gpt_open, rnn, scan, optimiser)
}


def main() -> None:
    """Draw them all."""
    HERE.mkdir(exist_ok=True)
    for name, make in PICTURES.items():
        make().save(HERE / f"{name}.svg")
        print(f"pictures/{name}.svg")


if __name__ == "__main__":
    main()
