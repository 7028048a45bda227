import torch

x, y = torch.ones(2), torch.ones(2, 3)
equations = (
    ". ..",
    ".. .",
    "... ...",
    "......",
    "1",
    ",",
    "ai",
    "ai...",
    "a->... .",
    "a->..",
    "a->. ..",
    "a->1",
    "a->aa",
    "a->i",
)
for equation in equations:
    try:
        print(equation, torch.einsum(equation, x))
    except RuntimeError as e:
        print(equation, "|", e)
for equation in ("...,...", "...,...->...", "a, ba", "a...,ba...", "a...,...a"):
    try:
        print(equation, torch.einsum(equation, x, y))
    except RuntimeError as e:
        print(equation, "|", e)
try:
    torch.einsum("b...,a...->...", torch.ones(4, 2, 5), torch.ones(4, 3, 5))
except RuntimeError as e:
    print(e)
print(torch.einsum(" a , b -> a b ", x, x), torch.einsum("a ... -> ... a", y))
