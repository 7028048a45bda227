import torch

x = torch.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]])
print(
    x.var(),
    x.var(0),
    x.var(1, keepdim=True),
    x.std(1, correction=0),
    x.var(unbiased=False),
    torch.var_mean(x, 1),
    torch.std_mean(x),
)
print(x[:1].var(0), torch.tensor([1.0]).std(), torch.tensor([]).var())
r = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print(r.var(), r.std(), r.var(0), torch.var_mean(r))
r.var().backward()
print(r.grad)
r.grad = None
r.std(correction=0).backward()
print(r.grad)
r.grad = None
(r * 0).std().backward()
print(r.grad)
for bad in (lambda: torch.tensor([1, 2]).var(), lambda: x.var(2), lambda: x.std("a")):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
