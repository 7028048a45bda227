"""A variational autoencoder, functional: parameters in, loss and gradient out.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/pairs/vae_functional.py    # the story
    python examples/pairs/vae_functional.py                  # the full work, with its picture

A network packs images of digits into two numbers each, another one draws them again. What is lost is minus the evidence
lower bound: how badly the image is drawn, and how far the distribution of the two numbers is from the normal one. The
twin, vae_torch.py, is the same model as a torch script, with an `nn.Module` and an optimiser. Both start from the same
numbers, draw the same noise, and print the same losses to the last digit; the picture shows what either draws all over
the plane.

Here the model is a function of its parameters, and so is the loss; the noise is an argument. Nothing is changed in
place: a step of Adam gives new parameters, and new moments.

>>> params = new_parameters(np.random.default_rng(0))
>>> value, gradient = fg.value_and_grad(loss)(params, digits()[:5], np.zeros((5, 2)))
>>> print(f"{value:.10f}")
44.8365633554
>>> weights, offsets = gradient["draw"]
>>> offsets.shape
(64,)

Source: D. Kingma, M. Welling, "Auto-encoding variational Bayes", ICLR 2014.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import funcgrad as fg

HIDDEN, BATCH, RATE = 128, 128, 0.002
SIZES = {"encode": (64, HIDDEN), "code": (HIDDEN, 4), "decode": (2, HIDDEN), "draw": (HIDDEN, 64)}


def digits():
    """1,797 images of 64 grey levels between 0 and 1."""
    with np.load(Path(__file__).parent.parent / "data" / "digits.npz") as data:
        return data["images"].reshape(-1, 64) / 16


def new_parameters(rng):
    return {name: (rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for name, (m, n) in SIZES.items()}


def encode(params, x):
    """Mean and logarithm of the variance of the two numbers."""
    w, b = params["encode"]
    hidden = np.tanh(x @ w + b)
    w, b = params["code"]
    code = hidden @ w + b
    return code[:, :2], code[:, 2:]


def decode(params, z):
    """The images of numbers z, before the sigmoid."""
    w, b = params["decode"]
    hidden = np.tanh(z @ w + b)
    w, b = params["draw"]
    return hidden @ w + b


def loss(params, x, noise):
    """Minus the evidence lower bound, per image."""
    mean, log_variance = encode(params, x)
    score = decode(params, mean + np.exp(log_variance / 2) * noise)
    drawn = np.sum(np.logaddexp(0, score) - x * score)
    distance = 0.5 * np.sum(mean**2 + np.exp(log_variance) - 1 - log_variance)
    return (drawn + distance) / len(x)


@fg.jit
def update(params, moments, step, x, noise):
    """A step of Adam: the loss before it, the parameters and the moments after it."""
    value, gradient = fg.value_and_grad(loss)(params, x, noise)
    first = fg.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = fg.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradient)
    rate, fair = RATE / (1 - 0.9**step), 1 - 0.999**step
    params = fg.tree.map(lambda p, m, v: p - rate * m / (np.sqrt(v / fair) + 1e-8), params, first, second)
    return value, params, (first, second)


def train(images, rng, epochs):
    """The parameters after some epochs, and the mean loss of each.

    >>> _, losses = train(digits()[:256], np.random.default_rng(0), range(3))
    >>> [f"{value:.8f}" for value in losses]
    ['46.42318730', '44.44130902', '41.41536591']
    """
    params, step, losses = new_parameters(rng), 0, []
    zeros = fg.tree.map(np.zeros_like, params)
    moments = zeros, zeros
    for _ in epochs:
        values = []
        for chosen in np.array_split(rng.permutation(len(images)), len(images) // BATCH):
            step, noise = step + 1, rng.normal(size=(len(chosen), 2))
            value, params, moments = update(params, moments, float(step), images[chosen], noise)
            values.append(float(value))
        losses.append(np.mean(values))
    return params, losses


def draw(path, losses, picture):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    left.plot(losses, color="tab:blue")
    left.set(xlabel="epoch", ylabel="minus the evidence lower bound, nats", title="Loss for each image")
    right.imshow(picture, cmap="gray_r", extent=(-2.75, 2.75, -2.75, 2.75))
    right.set(xlabel="first number", ylabel="second number", title="What is drawn for two numbers")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer epochs")
    parser.add_argument("--out", type=Path, default=Path("vae_functional.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    epochs = tqdm(range(2 if options.quick else 80), desc="training", unit="epoch")
    params, losses = train(digits(), np.random.default_rng(0), epochs)
    for epoch in (0, len(losses) // 2, len(losses) - 1):
        print(f"epoch {epoch + 1:<10}{losses[epoch]:.8f}")
    side = np.linspace(-2.5, 2.5, 10)
    z = np.stack(np.meshgrid(side, side[::-1]), axis=-1).reshape(-1, 2)
    images = np.asarray(fg.nn.sigmoid(decode(params, z))).reshape(10, 10, 8, 8)
    print(f"ink             {images.mean():.8f} of a page of 100 digits")
    page = np.pad(images, [(0, 0), (0, 0), (1, 1), (1, 1)])  # a margin for each
    draw(options.out, losses, page.transpose(0, 2, 1, 3).reshape(100, 100))
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
