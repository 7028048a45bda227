"""Networks written with torch.nn, in single precision: the same lines with PyTorch and with funcgrad.torch.

A compiled step is a function of arrays (`torch.func.as_function`) under `fg.jit`, or the ordinary one under
`torch.compile`; PyTorch's is its ordinary one.
"""

from importlib import import_module

import numpy as np
from timing import Case

import funcgrad as fg
import funcgrad.numpy as fnp

LAYERS, WIDTH, HEADS, BLOCK, BATCH, TOKENS = 4, 128, 4, 64, 8, 65
RATE, B1, B2, EPS, DECAY = 1e-3, 0.9, 0.99, 1e-8, 0.1


def linear(torch):
    """A perceptron, and a batch of 32 for it."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return model, torch.randn(32, 64), torch.arange(32) % 10


def lenet(torch):
    """LeNet with ReLU and maxima, and a batch of 64 digits for it."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    return model, torch.randn(64, 1, 28, 28), torch.arange(64) % 10


def gpt(torch):
    """A GPT of four layers and width 128, and eight rows of 64 tokens for it."""
    nn, functional = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
            self.c_proj = nn.Linear(WIDTH, WIDTH)

        def forward(self, x):
            b, t, c = x.size()
            q, k, v = (y.view(b, t, HEADS, c // HEADS).transpose(1, 2) for y in self.c_attn(x).split(WIDTH, dim=2))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
            self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(TOKENS, WIDTH), nn.Embedding(BLOCK, WIDTH)
            self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
            self.ln_f, self.lm_head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TOKENS, bias=False)

        def forward(self, tokens):
            x = self.wte(tokens) + self.wpe(torch.arange(BLOCK))
            return self.lm_head(self.ln_f(self.blocks(x))).flatten(0, 1)

    tokens = torch.arange(BATCH * BLOCK) * 7 % TOKENS
    return GPT(), tokens.view(BATCH, BLOCK), (tokens + 1) % TOKENS


def built(module, network):
    torch = import_module(module)
    torch.manual_seed(0)
    return torch, *network(torch)


def gradients(network, module, compiles=None):
    """Forwards and backwards; the model may be compiled, or "loss": that and the loss."""

    def make():
        torch, model, x, y = built(module, network)
        called = torch.compile(model) if compiles == "model" else model

        def loss_of(x, y):
            return torch.nn.functional.cross_entropy(called(x), y)

        loss_of = torch.compile(loss_of) if compiles == "loss" else loss_of

        def step():
            model.zero_grad()
            loss = loss_of(x, y)
            loss.backward()
            return loss.item()

        return step

    return make


def training(network, module, compiles=None):
    """A step of AdamW, which may be compiled as a whole; the first two steps are made already."""

    def make():
        torch, model, x, y = built(module, network)
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(B1, B2), eps=EPS, weight_decay=DECAY)

        def step(x, y):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss

        run = torch.compile(step) if compiles else step
        for _ in range(2):
            run(x, y)
        return lambda: run(x, y).item()

    return make


def adamw(params, grads, memory):
    t = memory["t"] + 1
    m = {k: B1 * memory["m"][k] + (1 - B1) * g for k, g in grads.items()}
    v = {k: B2 * memory["v"][k] + (1 - B2) * g * g for k, g in grads.items()}
    rate, root = RATE / (1 - B1**t), fnp.sqrt(1 - B2**t)
    new = {k: p * (1 - RATE * DECAY) - rate * m[k] / (fnp.sqrt(v[k]) / root + EPS) for k, p in params.items()}
    return new, {"t": t, "m": m, "v": v}


def compiled(network, update=None, steps=0):
    """The same, as one program; some steps are made already."""

    def make():
        torch, model, x, y = built("funcgrad.torch", network)
        f, params = torch.func.as_function(model)
        cross_entropy = torch.func.on_arrays(torch.nn.functional.cross_entropy)
        loss_and_grads = fg.value_and_grad(lambda params, x, y: cross_entropy(f(params, x), y))

        @fg.jit
        def program(params, memory, x, y):
            loss, grads = loss_and_grads(params, x, y)
            return loss, *(update(params, grads, memory) if update else (grads, memory))

        zeros = {name: np.zeros_like(p) for name, p in params.items()}
        state = [params, {"t": np.float32(0), "m": zeros, "v": zeros} if update else {}]
        x, y = x.numpy(), y.numpy()

        def step():
            loss, new, memory = program(*state, x, y)
            if update:
                state[:] = new, memory
            return float(loss)

        for _ in range(steps):
            step()
        return step

    return make


def case(name, title, run, network, program, target):
    own = program or run(network, "funcgrad.torch")
    return Case(name, title, {"funcgrad": own, "torch": run(network, "torch")}, {"torch": target}, digits=5)


def compiled_face(what, network, title, run, targets):
    """torch.compile here of the model, of the loss or of the step, against the same without, and PyTorch without."""
    name, title = f"compile-{network.__name__.replace('linear', 'mlp')}-{what}", f"torch.compile of the {what}: {title}"
    versions = {
        "funcgrad": run(network, "funcgrad.torch", compiles=what),
        "eager": run(network, "funcgrad.torch"),
        "torch": run(network, "torch"),
    }
    return Case(name, title, versions, dict(zip(("eager", "torch"), targets, strict=True)), digits=5)


CASES = [
    case("nn-mlp", "torch.nn: 64-64-10, batch 32, a step of AdamW", training, linear, None, 0.5),
    case("nn-lenet", "torch.nn: LeNet, batch 64, forward and backward()", gradients, lenet, None, 0.5),
    case("nn-lenet-jit", "the same, compiled", gradients, lenet, compiled(lenet), 0.8),
    case("nn-gpt", "torch.nn: GPT, 4 layers, width 128, 8 x 64 tokens, a step of AdamW", training, gpt, None, 0.6),
    case("nn-gpt-jit", "the same, compiled", training, gpt, compiled(gpt, adamw, 2), 0.8),
    compiled_face("model", linear, "64-64-10, batch 32, forward and backward()", gradients, (1.4, 0.7)),
    compiled_face("loss", linear, "the same", gradients, (2, 1.2)),
    compiled_face("step", linear, "the same with AdamW", training, (3, 3)),
    compiled_face("step", lenet, "LeNet, batch 64, AdamW", training, (1, 0.7)),
    compiled_face("step", gpt, "GPT, 4 layers, width 128, 8 x 64 tokens, AdamW", training, (1.1, 0.8)),
]
