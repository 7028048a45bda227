import torch

# Examples that are numbers, and batches without examples.


def show(name, y):
    node = y.grad_fn
    behind = [None if n is None else type(n).__name__ for n, _ in node.next_functions] if node else None
    print(name, type(node).__name__, behind, tuple(y.shape), y.requires_grad)


numbers = torch.tensor([1.5, 0.5, 0.25], requires_grad=True) * 1
rows = torch.tensor([[1.5, 0.5], [0.25, 2.0]], requires_grad=True) * 1
blocks = torch.tensor([[[1.5, 0.5], [0.25, 2.0]]], requires_grad=True) * 1
for text in ("sum()", "mean()", "std()", "norm()", "logsumexp(0)", "amax(0)", "prod()", "max()", "min()"):
    f = eval(f"lambda x: x.{text}")
    for given in (numbers, rows, blocks):
        show(text, torch.func.vmap(f)(given))
tied = torch.tensor([[2.0, 2.0, 1.0]])
print(torch.func.vmap(torch.func.grad(lambda x: x.max()))(tied))
print(torch.func.grad(lambda x: torch.func.vmap(lambda x: x.max())(x).sum())(tied))
none = torch.zeros(0)
for text in ("x.sin()", "x * 2", "x - 1", "2 / x", "x * x", "x.sum()", "x.max()", "x + none", "x.reshape(-1)", "x > 0"):
    f = eval(f"lambda x: {text}")
    for given in (none, torch.zeros(0, 2)):
        try:
            print(text, tuple(torch.func.vmap(f)(given).shape))
        except (IndexError, RuntimeError) as e:
            print(text, type(e).__name__, e)
try:
    torch.func.vmap(torch.func.vmap(lambda x: x * 2))(torch.zeros(2, 0))
except IndexError as e:
    print(e)
