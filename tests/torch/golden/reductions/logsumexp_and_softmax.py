import torch

x = torch.tensor([[0.0, 0.0], [1000.0, 1000.0], [0.0, float("-inf")]], requires_grad=True)
print(x.logsumexp(1), torch.logsumexp(x, (0, 1), keepdim=True), x.softmax(1), torch.log_softmax(x, -1))
x.logsumexp(1).sum().backward()
print(x.grad)
x.grad = None
x[:2].softmax(1)[:, 0].sum().backward()
print(x.grad)
print(
    torch.tensor([float("-inf")] * 2).logsumexp(0),
    torch.tensor([1, 1]).logsumexp(0),
    torch.softmax(torch.tensor([1, 1]), 0, dtype=torch.float64),
)
print(torch.logaddexp(torch.tensor([0.0]), torch.tensor([0.0])), torch.logcumsumexp(torch.zeros(4), 0))
for bad in (
    lambda: torch.softmax(torch.tensor([1, 2]), 0),
    lambda: x.softmax(2),
    lambda: x.softmax(),
    lambda: x.logsumexp(),
):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
