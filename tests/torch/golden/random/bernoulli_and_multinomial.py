import torch

torch.manual_seed(4)
p = torch.tensor([0.0, 0.5, 1.0, 0.5])
print(
    torch.bernoulli(p),
    torch.bernoulli(p),
    torch.zeros(5).bernoulli_(0.5),
    torch.empty(4).bernoulli_(p),
    torch.bernoulli(torch.full((3,), 0.5, dtype=torch.float64)),
    p.bernoulli(0.9),
)
w = torch.tensor([1.0, 0.0, 3.0, 6.0])
print(
    torch.multinomial(w, 2),
    torch.multinomial(w, 6, replacement=True),
    torch.multinomial(torch.ones(2, 3), 2),
    torch.multinomial(w, 1),
)
for bad in (
    lambda: torch.bernoulli(torch.tensor([1.5])),
    lambda: torch.bernoulli(torch.tensor([1])),
    lambda: torch.multinomial(w, 4),
    lambda: torch.multinomial(w, 5),
    lambda: torch.multinomial(-w, 1),
    lambda: torch.multinomial(torch.zeros(2), 1),
    lambda: torch.multinomial(w, 0),
    lambda: torch.multinomial(torch.tensor([1, 2]), 1),
    lambda: torch.empty(2).bernoulli_(2),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
