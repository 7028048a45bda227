import torch

torch.manual_seed(8)
print(torch.poisson(torch.tensor([0.5, 4.0])), torch.zeros(4).geometric_(0.5))
print(torch.empty(2).log_normal_(), torch.empty(2).cauchy_(), torch.empty(2).exponential_())
print(torch.empty(3).exponential_(2.0), torch.empty(2, dtype=torch.float64).exponential_())
print(
    torch.empty(3).log_normal_(1.0, 0.25),
    torch.empty(2).cauchy_(5.0, 0.1),
    torch.zeros(3, dtype=torch.int64).geometric_(0.9),
)
for bad in (
    lambda: torch.empty(2).exponential_(-1.0),
    lambda: torch.empty(2).cauchy_(0, -1),
    lambda: torch.empty(2).log_normal_(0, -1),
    lambda: torch.empty(2).geometric_(2.0),
    lambda: torch.empty(2, dtype=torch.int64).exponential_(),
    lambda: torch.poisson(torch.tensor([-1.0])),
):
    try:
        print(bad())
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
print(torch.rand(2))
