import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
for y in (
    x + x, x - x, x * x, x / x, x**2, 2**x, x**x, -x, abs(x), x + 1, 1 + x, 1 - x, 1 / x, x @ x, x @ v, v @ v, v @ x,
    x.sum(), x.sum(0), x.mean(), x.mean(1), x.max(), x.max(0)[0], x.min(), x.prod(), x.std(), x.var(), x.norm(),
    x.exp(), x.log(), x.sin(), x.cos(), x.tanh(), x.sigmoid(), x.relu(), x.sqrt(), x.abs(), x.sign(), x.clamp(0, 1),
    x.t(), x.T, x.view(4), x.reshape(4), x.flatten(), x[0], x[0, 0], x[:, 1], x[[0, 1]], x[x > 1], x[None], x[...],
    x.unsqueeze(0), x[:1].squeeze(), x.expand(3, 2, 2), x.permute(1, 0), x.transpose(0, 1), x.clone(), x.double(),
    x.float(), x.contiguous(), x.t().contiguous(), torch.cat([x, x]), torch.stack([x, x]), torch.where(x > 1, x, x),
    torch.einsum("ij,jk", x, x), torch.maximum(x, x), torch.dot(v, v), torch.outer(v, v), x.diagonal(), x.diag(),
    x.tril(), x.cumsum(0), x.flip(0), x.repeat(2, 2), x.gather(0, torch.tensor([[0, 1]])), x.softmax(0),
    x.log_softmax(0), x.logsumexp(0), x.inverse(), x.det(), x.trace(), x.sort()[0], x.topk(1)[0], x.unbind()[0],
    x.split(1)[0], x.chunk(2)[0],
):  # fmt: skip
    print(y.grad_fn.name() if y.grad_fn else None)
