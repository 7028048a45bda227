import torch

g = torch.Generator()
print(g.initial_seed(), g.device)
g.manual_seed(7)
print(
    torch.rand(2, generator=g),
    torch.randn(2, generator=g),
    torch.randint(10, (3,), generator=g),
    torch.randperm(4, generator=g),
)
torch.manual_seed(7)
print(torch.rand(2), torch.randn(2), torch.randint(10, (3,)), torch.randperm(4))
state = g.get_state()
a = torch.empty(2).normal_(generator=g)
g.set_state(state)
print(torch.equal(a, torch.empty(2).normal_(generator=g)), g.initial_seed(), a)
h = torch.Generator().manual_seed(7)
print(
    torch.rand(2, generator=h),
    torch.bernoulli(torch.full((3,), 0.5), generator=h),
    torch.multinomial(torch.ones(3), 1, generator=h),
)
print(type(g), g.manual_seed(1) is g, isinstance(g, torch.Generator))
