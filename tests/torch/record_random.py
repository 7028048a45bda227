"""Record what PyTorch draws, for test_sampling.py: `python tests/torch/record_random.py` writes data/random.json.

A program is a seed and a sequence of calls on one generator. Of every call the file keeps a digest of the bytes and a
few values, and of every program where in its stream the generator ends.
"""

import hashlib
import json
import random
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "data" / "random.json"
SIZES = range(200)
FLOATS = ("float32", "float64", "float16")


def digest(x):
    return hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest()[:12]


def summary(x):
    """The digest of an array, and some values to compare where a C library rounds differently."""
    x = np.asarray(x)
    flat = np.concatenate((x.reshape(-1)[:3], x.reshape(-1)[-2:]))
    return {"digest": digest(x), "shape": list(x.shape), "values": [repr(v) for v in flat.tolist()]}


def position(state):
    """The digest of where a generator is in its stream: its state but for the spare normal number."""
    return digest(state[:5016])


def weights(n):
    return (np.arange(n) * 7 % 11 + 0.5) / 8


def probabilities(n):
    return np.arange(n) * 7 % 11 / 16


def program(seed, length):
    """A sequence of calls: [operation, parameters]."""
    pick = random.Random(seed)
    calls = []
    for _ in range(length):
        n = pick.choice([0, 1, 2, 3, 5, 15, 16, 17, 31, 40, pick.randrange(300)])
        real, dtype = pick.choice(FLOATS), pick.choice(("float32", "float64", "int64", "bool", "uint8"))
        integer = pick.choice(("int64", "int32", "float32", "int16"))
        calls.append(
            pick.choice(
                [
                    ["uniform", {"shape": [n], "dtype": real, "low": 0.0, "high": 1.0}],
                    ["uniform", {"shape": [n], "dtype": real, "low": -0.7, "high": 1.9}],
                    ["uniform", {"shape": [n], "dtype": "complex64", "low": 0.0, "high": 1.0}],
                    ["normal", {"shape": [n], "dtype": real, "mean": 0.0, "std": 1.0}],
                    ["normal", {"shape": [2, n], "dtype": real, "mean": 0.3, "std": 2.1}],
                    ["normal", {"shape": [n], "dtype": "complex128", "mean": 0.0, "std": 1.0}],
                    ["normal_strided", {"n": n, "dtype": real, "mean": 0.3, "std": 2.1}],
                    ["normal_of", {"n": n, "dtype": real}],
                    ["random", {"shape": [n], "dtype": dtype, "low": None, "high": None}],
                    ["random", {"shape": [n], "dtype": integer, "low": -5, "high": 17}],
                    ["random", {"shape": [n], "dtype": "int64", "low": -(2**33), "high": 2**41}],
                    ["random", {"shape": [n], "dtype": "int64", "low": 3, "high": None}],
                    ["randperm", {"n": n, "dtype": integer}],
                    ["bernoulli", {"shape": [n], "dtype": dtype, "p": 0.3}],
                    ["bernoulli_each", {"n": n, "dtype": dtype, "real": real}],
                    ["exponential", {"shape": [n], "dtype": real, "rate": 1.7}],
                    ["cauchy", {"shape": [n], "dtype": real, "median": 0.4, "sigma": 1.2}],
                    ["log_normal", {"shape": [n], "dtype": real, "mean": 0.1, "std": 0.6}],
                    ["geometric", {"shape": [n], "dtype": integer, "p": 0.2}],
                    ["multinomial", {"n": n + 1, "samples": n // 2 + 1, "replacement": pick.random() < 0.5}],
                    ["dropout_noise", {"shape": [n], "dtype": real, "p": 0.4}],
                    ["poisson", {"n": n, "dtype": real}],
                    ["binomial", {"n": n, "p": pick.choice((0.1, 0.5, 0.8))}],
                    ["standard_gamma", {"n": n}],
                    ["dirichlet", {"n": n + 1}],
                ]
            )
        )
    return calls


def drawn(operation, generator, k):
    """What torch draws, as an ndarray."""
    import torch

    def empty():
        return torch.empty(k["shape"], dtype=getattr(torch, k["dtype"]))

    def tensor(x, dtype):
        return torch.tensor(x).to(getattr(torch, dtype))

    match operation:
        case "uniform":
            out = empty().uniform_(k["low"], k["high"], generator=generator)
        case "normal":
            out = empty().normal_(k["mean"], k["std"], generator=generator)
        case "normal_strided":
            column = torch.empty(k["n"], 2, dtype=getattr(torch, k["dtype"]))[:, 0]
            out = column.normal_(k["mean"], k["std"], generator=generator)
        case "normal_of":
            n, dtype = k["n"], k["dtype"]
            out = torch.normal(tensor(weights(n), dtype), tensor(probabilities(n), dtype), generator=generator)
        case "random" if k["low"] is None:
            out = empty().random_(generator=generator)
        case "random":
            out = empty().random_(k["low"], k["high"], generator=generator)
        case "randperm":
            out = torch.randperm(k["n"], dtype=getattr(torch, k["dtype"]), generator=generator)
        case "bernoulli":
            out = empty().bernoulli_(k["p"], generator=generator)
        case "bernoulli_each":
            p = tensor(probabilities(k["n"]), k["real"])
            out = torch.empty(k["n"], dtype=getattr(torch, k["dtype"])).bernoulli_(p, generator=generator)
        case "exponential":
            out = empty().exponential_(k["rate"], generator=generator)
        case "cauchy":
            out = empty().cauchy_(k["median"], k["sigma"], generator=generator)
        case "log_normal":
            out = empty().log_normal_(k["mean"], k["std"], generator=generator)
        case "geometric":
            out = empty().geometric_(k["p"], generator=generator)
        case "multinomial":
            p = tensor(weights(k["n"]), "float32")
            out = torch.multinomial(p, k["samples"], k["replacement"], generator=generator)
        case "dropout_noise":  # nn.functional.dropout draws from the default generator only
            noise = empty().bernoulli_(1 - k["p"], generator=generator)
            out = noise.div_(1 - k["p"])
        case "poisson":
            out = torch.poisson(tensor(weights(k["n"]) * 12, k["dtype"]), generator=generator)
        case "binomial":
            trials = tensor(np.arange(k["n"]) * 3.0, "float32")
            out = torch.binomial(trials, torch.full_like(trials, k["p"]), generator=generator)
        case "standard_gamma":
            out = torch._standard_gamma(tensor(weights(k["n"]), "float64"), generator=generator)
        case "dirichlet":
            out = torch._sample_dirichlet(tensor(weights(k["n"]), "float64"), generator=generator)
    return out.numpy()


def sweep(draw):
    """One digest over draws of all small sizes."""
    return digest(np.concatenate([draw(n).astype("float64") for n in SIZES]))


def main():
    import torch

    out = {"torch": torch.__version__, "programs": [], "sweeps": {}}
    for seed, length in ((0, 60), (1, 60), (-3, 60), (2**63 + 11, 60)):
        generator = torch.Generator().manual_seed(seed)
        calls = [[op, k, summary(drawn(op, generator, k))] for op, k in program(seed, length)]
        out["programs"].append({"seed": seed, "calls": calls, "position": position(generator.get_state().numpy())})
    for name, draw in {
        "uniform": lambda n, g: torch.rand(n, generator=g),
        "uniform64": lambda n, g: torch.rand(n, generator=g, dtype=torch.float64),
        "normal": lambda n, g: torch.randn(n + 16, generator=g),
        "randperm": lambda n, g: torch.randperm(n, generator=g),
        "randint": lambda n, g: torch.randint(0, 10, (n,), generator=g),
    }.items():
        generator = torch.Generator().manual_seed(5)
        out["sweeps"][name] = sweep(lambda n, draw=draw, g=generator: draw(n, g).numpy())
    lines = json.dumps(out).replace('["', '\n["').replace('{"seed"', '\n{"seed"')
    FILE.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
