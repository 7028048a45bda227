"""Teach a recurrent network to spell, letter by letter, from Alice's Adventures in Wonderland.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/alice.py    # the story
    python examples/alice.py                  # the full work, with its picture

The network reads one letter after the other and keeps a state of 128 numbers, from which it says how likely each letter
is to come next. Its cell is the gated recurrent unit, written out; `scan` takes it along the text, `value_and_grad`
goes back through the letters, and `jit` makes one program of the whole step of training.

At first each letter is as likely as any other, to about a hundredth:

>>> text, letters = book()
>>> len(text), len(letters), "".join(letters[i] for i in text[210:230])
(148480, 72, 'Down the Rabbit-Hole')
>>> params = new_parameters(np.random.default_rng(0), len(letters), width=16)
>>> batch = text[: 4 * 33].reshape(4, 33)
>>> bool(abs(loss(params, batch) - np.log(72)) < 0.02)
True

What follows a letter is not known to the state before it: the scores for the first letters stay the same if the last
one is another.

>>> other = batch.copy()
>>> other[:, -1] = 0
>>> one, two = scores(params, batch), scores(params, other)
>>> bool(np.all(one[:-1] == two[:-1])), bool(np.all(one[-1] == two[-1]))
(True, False)

The picture shows the loss beside what one, two or three letters in a row tell about the next by counting, and what the
network writes as it learns.

Sources: K. Cho and others, "Learning phrase representations using RNN encoder-decoder" (2014); C. Shannon, "Prediction
and entropy of printed English" (1951).
"""

import argparse
import lzma
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import funcgrad as fg
import funcgrad.numpy as fnp

BATCH, LENGTH = 32, 40


def book():
    """The text as numbers, and the letters that they stand for."""
    text = lzma.decompress((Path(__file__).parent / "data" / "alice.txt.xz").read_bytes()).decode()
    letters = sorted(set(text))
    return np.array([letters.index(c) for c in text]), letters


def new_parameters(rng, n_letters, width):
    def normal(*shape, fan_in):
        return (rng.normal(size=shape) / np.sqrt(fan_in)).astype(np.float32)

    return {
        "letters": normal(n_letters, 3 * width, fan_in=4),  # what a letter does to the gates and to the new state
        "gates": normal(width, 2 * width, fan_in=width),
        "state": normal(width, width, fan_in=width),
        "out": 0.01 * normal(width, n_letters, fan_in=1),
        "bias": np.zeros(n_letters, np.float32),
    }


def cell(params, state, of_letter):
    """The state after a letter: gates say what of the old state is kept, and what of it the new one is made of."""
    width = state.shape[-1]
    gates = fg.nn.sigmoid(of_letter[..., : 2 * width] + state @ params["gates"])
    keep, use = gates[..., :width], gates[..., width:]
    new = np.tanh(of_letter[..., 2 * width :] + (use * state) @ params["state"])
    return keep * state + (1 - keep) * new


def scores(params, batch):
    """The scores of what comes after each letter: (letters in a row, batch, letters)."""

    def step(state, of_letter):
        state = cell(params, state, of_letter)
        return state, state

    start = np.zeros((len(batch), len(params["state"])), np.float32)
    _, states = fg.lax.scan(step, start, params["letters"][batch.T])
    return states @ params["out"] + params["bias"]


def loss(params, batch):
    """Minus the logarithm of the probability of each letter, given those before it: the mean, in nats."""
    s, following = scores(params, batch[:, :-1]), batch[:, 1:].T[..., None]
    return np.mean(fnp.logsumexp(s, axis=-1) - fnp.take_along_axis(s, following, axis=-1)[..., 0])


def written(params, letters, rng, n, start=" "):
    """n letters, each drawn as the network says.

    >>> params = new_parameters(np.random.default_rng(0), 3, width=4)
    >>> len(written(params, ["a", "b", " "], np.random.default_rng(0), 50))
    50
    """
    state, letter, text = np.zeros(len(params["state"]), np.float32), letters.index(start), []
    step = fg.jit(lambda state, of_letter: cell(params, state, of_letter))
    for _ in range(n):
        state = step(state, params["letters"][letter])
        p = np.asarray(fg.nn.softmax((state @ params["out"] + params["bias"]) / 0.7), dtype=float)
        letter = rng.choice(len(letters), p=p / p.sum())
        text.append(letters[letter])
    return "".join(text)


def trained(params, text, letters, rng, steps, shown_at, rate=0.004):
    """The losses of the steps, and what the network wrote at some of them."""
    flat, as_dict = fg.ravel_pytree(params)

    @fg.jit
    def update(flat, mean, square, batch, rate):
        value, g = fg.value_and_grad(lambda flat: loss(as_dict(flat), batch))(flat)
        mean, square = 0.9 * mean + 0.1 * g, 0.99 * square + 0.01 * g * g
        return value, flat - rate * mean / (np.sqrt(square) + 1e-6), mean, square

    mean, square, losses, samples = np.zeros_like(flat), np.zeros_like(flat), [], {}
    for step in steps:
        if step in shown_at:
            samples[step] = written(as_dict(flat), letters, np.random.default_rng(1), 180)
        starts = rng.integers(len(text) - LENGTH, size=BATCH)
        batch = text[starts[:, None] + np.arange(LENGTH + 1)]
        at = np.float32(rate * min(1.0, (step + 1) / 50) * (1 - step / len(steps)))  # faster at first, then slower
        value, flat, mean, square = update(flat, mean, square, batch, at)
        losses.append(float(value))
        if hasattr(steps, "set_postfix") and step % 20 == 0:
            steps.set_postfix(loss=f"{np.mean(losses[-20:]):.3f}")
    samples[len(steps)] = written(as_dict(flat), letters, np.random.default_rng(1), 180)
    return as_dict(flat), losses, samples


def by_counting(text, n):
    """The entropy of a letter, given the n before it, by their frequencies in the whole text, in nats.

    Of two letters in turn the next one is known if one is.

    >>> [abs(round(by_counting(np.arange(1000) % 2, n), 3)) for n in (0, 1)]
    [np.float64(0.693), np.float64(0.0)]
    """
    windows = np.lib.stride_tricks.sliding_window_view(text, n + 1)
    _, contexts, of_context = np.unique(windows[:, :n], axis=0, return_inverse=True, return_counts=True)
    _, of_window, of_whole = np.unique(windows, axis=0, return_inverse=True, return_counts=True)
    return -np.mean(np.log(of_whole[of_window] / of_context[contexts]))


def draw(path, losses, samples, entropies):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    smooth = np.convolve(losses, np.full(25, 1 / 25), "valid")
    left.plot(np.arange(len(smooth)) + 25, smooth, color="tab:blue", label="the network, mean of 25 steps")
    for n, entropy in enumerate(entropies):
        left.axhline(entropy, color="0.6", lw=0.8, ls="--")
        words = ("frequencies alone", "one letter before", "two letters before", "three letters before")[n]
        left.text(len(losses), entropy + 0.03, words, color="0.4", ha="right", fontsize=8)
    left.set(xlabel="step", ylabel="loss, nats per letter", title="Alice, spelled", ylim=(1.1, None))
    left.legend()
    right.axis("off")
    lines = []
    for step, sample in samples.items():
        lines += [f"After {step} steps:", *textwrap.wrap(" ".join(sample.split()), 52), ""]
    right.text(0, 1, "\n".join(lines), va="top", family="monospace", fontsize=8.5, parse_math=False)
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small network, and few steps")
    parser.add_argument("--out", type=Path, default=Path("alice.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(0)
    text, letters = book()
    params = new_parameters(rng, len(letters), 24 if options.quick else 128)
    n_steps = 90 if options.quick else 1200
    steps = tqdm(range(n_steps), desc="training", unit="step")
    params, losses, samples = trained(params, text, letters, rng, steps, {0, n_steps // 15, n_steps // 5})
    entropies = [by_counting(text, n) for n in range(2 if options.quick else 4)]
    print(f"parameters      {sum(p.size for p in fg.tree.leaves(params))}")
    print(f"loss            {losses[0]:.3f} -> {np.mean(losses[-50:]):.3f} nats per letter")
    print(f"by counting     {', '.join(f'{e:.3f}' for e in entropies)} with 0, 1, ... letters before")
    print(f"it writes       {' '.join(samples[n_steps].split())}")
    draw(options.out, losses, samples, entropies)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
