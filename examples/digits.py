"""Train a small neural network to read handwritten digits, and look at those that it misreads.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/digits.py    # the story
    python examples/digits.py                  # the full work, with its picture

Everything is here: the network, its loss, the training loop. funcgrad gives the gradient. The parameters are arrays in
a dict, and the gradient is a dict of the same form.

>>> rng = np.random.default_rng(0)
>>> images, labels = digits(rng)
>>> params = new_parameters(rng)
>>> value, gradient = fg.value_and_grad(loss)(params, images[:64], labels[:64])
>>> {layer: {name: g.shape for name, g in of.items()} for layer, of in gradient.items()}
{'hidden': {'b': (256,), 'w': (64, 256)}, 'output': {'b': (10,), 'w': (256, 10)}}

A small step against the gradient makes the loss smaller, by the step times the square of the gradient's length:

>>> step = 1e-4
>>> lower = fg.tree.map(lambda p, g: p - step * g, params, gradient)
>>> expected = step * sum(float((g * g).sum()) for g in fg.tree.leaves(gradient))
>>> gained = float(value - loss(lower, images[:64], labels[:64]))
>>> bool(abs(gained / expected - 1) < 0.01)
True
"""

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small: threads would only wait for each other

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp

PIXELS, HIDDEN, DIGITS = 64, 256, 10


def digits(rng):
    """1,797 images of 8 x 8 pixels between 0 and 1, and the digits that they show, in random order.

    >>> images, labels = digits(np.random.default_rng(0))
    >>> images.shape, float(images.min()), float(images.max()), sorted(set(labels.tolist())) == list(range(10))
    ((1797, 8, 8), 0.0, 1.0, True)
    """
    with np.load(Path(__file__).parent / "data" / "digits.npz") as data:
        order = rng.permutation(len(data["labels"]))
        return data["images"][order] / 16, data["labels"][order]


# The network: parameters in a dict, and functions of them.


def new_parameters(rng):
    """Random weights, of a size that lets numbers keep theirs from layer to layer, and no offsets.

    >>> sum(p.size for p in fg.tree.leaves(new_parameters(np.random.default_rng(0))))
    19210
    """
    return {
        "hidden": {"w": fnp.asarray(rng.normal(size=(PIXELS, HIDDEN)) * np.sqrt(2 / PIXELS)), "b": fnp.zeros(HIDDEN)},
        "output": {"w": fnp.asarray(rng.normal(size=(HIDDEN, DIGITS)) / np.sqrt(HIDDEN)), "b": fnp.zeros(DIGITS)},
    }


def network(params, images):
    """One score for each image and digit; the highest is what the network reads.

    >>> network(new_parameters(np.random.default_rng(0)), np.zeros((5, 8, 8))).shape
    (5, 10)
    """
    pixels = images.reshape(len(images), PIXELS)
    hidden = fnp.maximum(pixels @ params["hidden"]["w"] + params["hidden"]["b"], 0)
    return hidden @ params["output"]["w"] + params["output"]["b"]


def loss(params, images, labels):
    """Cross-entropy: minus the logarithm of the probability given to the right digit, on average.

    Who gives the same probability to each of ten digits has a loss of log(10).

    >>> nothing = fg.tree.map(fnp.zeros_like, new_parameters(np.random.default_rng(0)))
    >>> print(f"{float(loss(nothing, np.ones((3, 8, 8)), np.array([1, 2, 3]))):.6f} = {np.log(10):.6f}")
    2.302585 = 2.302585
    """
    scores = network(params, images)
    return fnp.mean(fnp.logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels])


# Training: gradient descent with momentum on small batches of slightly shifted images.


def shifted(images, rng, most=0.8):
    """Each image moved by up to 0.8 pixels up or down, left or right: the network should not mind.

    Nothing of the ink is lost.

    >>> images = np.arange(64.0).reshape(1, 8, 8)
    >>> print(f"{shifted(images, np.random.default_rng(0)).sum():.6f}")
    2016.000000
    """
    for axis in (1, 2):
        t = rng.uniform(-most, most, size=(len(images), 1, 1))
        neighbour = np.where(t > 0, np.roll(images, 1, axis), np.roll(images, -1, axis))
        images = (1 - abs(t)) * images + abs(t) * neighbour
    return images


def train(progress, params, train_set, test_set, rng, rate=0.1, momentum=0.9, batch=64):
    """The parameters after some epochs, with the loss and the accuracy after each.

    Arguments:
        progress: the numbers of the epochs, such as tqdm(range(60)).
        params: the parameters to start from.
        train_set, test_set: images and labels.
        rng: random numbers.
        rate, momentum, batch: of gradient descent: the first step's length, how much of the last step is kept, and how
            many images decide a step.

    >>> rng = np.random.default_rng(0)
    >>> images, labels = digits(rng)
    >>> some, others = (images[:256], labels[:256]), (images[256:512], labels[256:512])
    >>> _, losses, accuracies = train(range(6), new_parameters(rng), some, others, rng)
    >>> bool(losses[-1] < losses[0] / 2), bool(accuracies[-1] > 0.7)
    (True, True)
    """
    (images, labels), losses, accuracies = train_set, [], []
    velocity = fg.tree.map(fnp.zeros_like, params)
    loss_and_gradient = fg.value_and_grad(loss)
    for epoch in progress:
        step = rate * (1 + np.cos(np.pi * epoch / len(progress))) / 2  # smaller and smaller
        values = []
        for chosen in np.array_split(rng.permutation(len(images)), len(images) // batch):
            value, gradient = loss_and_gradient(params, shifted(images[chosen], rng), labels[chosen])
            velocity = fg.tree.map(lambda v, g: momentum * v + g, velocity, gradient)
            params = fg.tree.map(lambda p, v, step=step: p - step * v, params, velocity)
            values.append(float(value))
        losses.append(np.mean(values))
        accuracies.append(np.mean(read(params, test_set[0]) == test_set[1]))
        if hasattr(progress, "set_postfix"):  # a bar on the screen
            progress.set_postfix(loss=f"{losses[-1]:.3f}", accuracy=f"{accuracies[-1]:.1%}")
    return params, losses, accuracies


def read(params, images):
    """The digits that the network reads.

    >>> read(new_parameters(np.random.default_rng(0)), np.ones((3, 8, 8))).shape
    (3,)
    """
    return np.asarray(fnp.argmax(network(params, images), axis=1))


# The picture: how it learned, and what it misreads.


def libraries():
    """Matplotlib, which draws into a file, also where there is no screen; and tqdm, which shows the progress."""
    try:
        import matplotlib
        from tqdm import tqdm

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise SystemExit(f"This example also needs {error.name}: pip install 'funcgrad[examples]'") from None
    return plt, tqdm


def draw(plt, path, losses, accuracies, images, truth, said):
    """Left how it learned, right the first twelve digits that it misreads."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.semilogy(losses, color="tab:blue")
    left.set(xlabel="epoch", title=f"test accuracy after {len(losses)} epochs: {accuracies[-1]:.1%}")
    left.set_ylabel("training loss", color="tab:blue")
    percent = left.twinx()
    percent.plot(100 * np.array(accuracies), color="tab:orange")
    percent.set(ylim=(80, 100), yticks=range(80, 101, 5))
    percent.set_ylabel("test accuracy, %", color="tab:orange")

    wrong = np.flatnonzero(said != truth)
    right.set_title(f"{len(wrong)} of {len(truth)} test digits misread")
    right.axis("off")
    columns = min(len(wrong), 4)
    rows = -(-len(wrong[:12]) // 4)
    for k, i in enumerate(wrong[:12]):
        row, column = divmod(k, columns)
        small = right.inset_axes([column / columns, 0.95 * (1 - (row + 1) / rows), 0.9 / columns, 0.72 / rows])
        small.imshow(images[i], cmap="gray_r")
        small.set(xticks=[], yticks=[])
        small.set_title(f"{truth[i]} read as {said[i]}", fontsize=9, color="tab:red", pad=3)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description="Train a small neural network to read handwritten digits.")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("digits.png"), help="where to save the picture")
    options = parser.parse_args()
    plt, tqdm = libraries()

    rng = np.random.default_rng(options.seed)
    images, labels = digits(rng)
    n_test = len(labels) // 5
    test_set, train_set = (images[:n_test], labels[:n_test]), (images[n_test:], labels[n_test:])

    start = time.perf_counter()
    params = new_parameters(rng)
    progress = tqdm(range(options.epochs), desc="training", unit="epoch")
    params, losses, accuracies = train(progress, params, train_set, test_set, rng)
    seconds = time.perf_counter() - start

    said = read(params, test_set[0])
    draw(plt, options.out, losses, accuracies, *test_set, said)
    n_parameters = sum(p.size for p in fg.tree.leaves(params))
    print(f"network         {PIXELS} - {HIDDEN} - {DIGITS}, {n_parameters} parameters")
    print(f"digits          {len(train_set[1])} to train, {n_test} to test")
    print(f"training        {options.epochs} epochs in {seconds:.1f} s; loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    print(f"test accuracy   {accuracies[-1]:.1%}, {np.sum(said != test_set[1])} misread")
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
