"""Which examples decide what a model learns? Influence functions, from per-example gradients.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/influence.py    # the story
    python examples/influence.py                  # the full work, with its picture

A regression reads handwritten digits. What would it be without one of its examples, and would it read others better?
Nobody need fit it again: to first order the weights move by H⁻¹ g, where H is the Hessian of the loss and g the
gradient of the example's part in it. `vmap` of `grad` gives the gradients of all examples at once.

>>> images, labels = digits(50)
>>> weights = fitted(images, labels)
>>> each = per_example_gradients(weights, images, labels)
>>> each.shape
(50, 650)
>>> penalty = DECAY * weights  # not part of any example
>>> bool(np.abs(each.sum(axis=0) + penalty).max() < 1e-6)  # at the minimum they are in balance
True

An example that moves its own loss the most is one that the others speak against: unusual, or with a wrong label. Here
twenty labels were changed on purpose. The picture shows how well the influence foretells what fitting again gives, and
the examples with the largest influence on themselves, those with changed labels in red.

Source: P. Koh, P. Liang, "Understanding black-box predictions via influence functions", ICML 2017; R. Cook, "Detection
of influential observations in linear regression", Technometrics 19 (1977).
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from tqdm import tqdm

import funcgrad as fg
import funcgrad.numpy as fnp

DECAY = 1.0  # of the weights, in units in which each example counts one


def digits(n):
    """The first n images, 64 grey levels between 0 and 1 and a 1 each, and the digits that they show.

    >>> images, labels = digits(5)
    >>> images.shape, labels
    ((5, 65), array([0, 1, 2, 3, 4]))
    """
    with np.load(Path(__file__).parent / "data" / "digits.npz") as data:
        images = data["images"][:n].reshape(n, 64) / 16
        return np.hstack([images, np.ones((n, 1))]), data["labels"][:n].astype(int)


def example_loss(weights, image, label):
    """Minus the logarithm of the probability of the right digit."""
    scores = image @ weights.reshape(65, 10)
    return fnp.logsumexp(scores) - scores[label]


def loss(weights, images, labels, counts):
    """The sum over examples, each as often as it counts, and the decay that keeps weights small."""
    each = fg.vmap(example_loss, in_axes=(None, 0, 0))(weights, images, labels)
    return np.sum(counts * each) + 0.5 * DECAY * np.sum(weights**2)


compiled_loss = fg.jit(fg.value_and_grad(loss))


def fitted(images, labels, counts=None, start=None):
    """The weights of least loss."""
    counts = np.ones(len(labels)) if counts is None else counts
    start = np.zeros(650) if start is None else start
    options = {"maxiter": 2000, "gtol": 1e-8, "ftol": 0.0}
    result = minimize(compiled_loss, start, (images, labels, counts), "L-BFGS-B", jac=True, options=options)
    return result.x


def per_example_gradients(weights, images, labels):
    """The gradient of each example's loss: (examples, weights)."""
    return fg.vmap(fg.grad(example_loss), in_axes=(None, 0, 0))(weights, images, labels)


def moved(weights, images, labels):
    """How the weights would move without each of the examples, to first order: (examples, weights)."""
    hessian = fg.hessian(loss)(weights, images, labels, np.ones(len(labels)))
    return np.linalg.solve(np.asarray(hessian), np.asarray(per_example_gradients(weights, images, labels)).T).T


def draw(path, foretold, again, images, given, true, suspects):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    span = np.array([min(foretold.min(), again.min()), max(foretold.max(), again.max())])
    left.plot(span, span, color="0.7", lw=1)
    left.plot(foretold, again, "o", color="tab:blue", ms=4)
    left.set(xlabel="foretold by influence", ylabel="after fitting again")
    left.set_title("Change of the test loss without one example")
    right.set_title(f"Those of {len(given)} that the others contradict")
    right.axis("off")
    for k, i in enumerate(suspects):
        row, column = divmod(k, 8)
        small = right.inset_axes([column / 8, 0.77 - row / 4, 0.9 / 8, 0.15])
        small.imshow(images[i, :64].reshape(8, 8), cmap="gray_r")
        small.set(xticks=[], yticks=[])
        small.set_title(f"as {given[i]}", fontsize=9, color="tab:red" if given[i] != true[i] else "black", pad=3)
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer examples")
    parser.add_argument("--out", type=Path, default=Path("influence.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    n, n_wrong, n_again = (150, 6, 5) if options.quick else (1000, 20, 40)
    images, true = digits(n + 300)
    images, test_images, true, test_labels = images[:n], images[n:], true[:n], true[n:]
    rng = np.random.default_rng(0)
    wrong, given = rng.choice(n, n_wrong, replace=False), true.copy()
    given[wrong] = (true[wrong] + rng.integers(1, 10, n_wrong)) % 10

    weights = fitted(images, given)
    moves = moved(weights, images, given)
    own = np.sum(np.asarray(per_example_gradients(weights, images, given)) * moves, axis=1)  # its own loss, without it
    suspects = np.argsort(-own)[:32]
    print(f"wrong labels       {n_wrong}, of which {np.isin(suspects[:n_wrong], wrong).sum()} are among the ", end="")
    print(f"first {n_wrong} suspects, and {np.isin(suspects, wrong).sum()} among the first {len(suspects)}")

    # The proof: fit again without an example, and look at the loss on others.
    def test_loss(weights):
        return np.mean(np.asarray(fg.vmap(example_loss, in_axes=(None, 0, 0))(weights, test_images, test_labels)))

    gradient = np.asarray(per_example_gradients(weights, test_images, test_labels)).mean(axis=0)
    chosen = np.argsort(-np.abs(moves @ gradient))[:n_again]
    counts = (np.where(np.arange(n) == i, 0.0, 1.0) for i in tqdm(chosen, desc="fitting again"))
    again = np.array([test_loss(fitted(images, given, c, weights)) for c in counts]) - test_loss(weights)
    foretold = (moves @ gradient)[chosen]
    print(f"fitting again      correlation with the influence {np.corrcoef(foretold, again)[0, 1]:.4f}")
    print(f"the most harmful   foretold {foretold.min():.5f}, fitting again gives {again[np.argmin(foretold)]:.5f}")
    draw(options.out, foretold, again, images, given, true, suspects)
    print(f"picture            {options.out}")


if __name__ == "__main__":
    main()
