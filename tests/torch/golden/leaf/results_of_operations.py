import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
for t in (x + c, c + c, x * 2, 2 * c, x.sum(), c.sum(), x[0], c[0], x > 1, x.argmax(), x.clone(), -x, x.view(2, 1)):
    print(t, t.is_leaf, t.requires_grad, t.grad_fn.name() if t.grad_fn else None)
