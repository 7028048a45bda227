import torch

torch.manual_seed(3)
X = torch.randn(30, 4)
labels = (X @ torch.randn(4, 3)).argmax(1)
print(labels, labels.bincount(minlength=3))
W = torch.zeros(4, 3, requires_grad=True)
for step in range(61):
    logp = torch.log_softmax(X @ W, dim=1)
    loss = -logp.gather(1, labels.unsqueeze(1)).mean() + 1e-3 * W.square().sum()
    (grad,) = torch.autograd.grad(loss, [W])
    W = (W - 1.0 * grad).detach().requires_grad_()
    if step % 15 == 0:
        accuracy = (logp.argmax(dim=1) == labels).float().mean()
        print(step, f"{loss:.5f}", f"{accuracy:.3f}")
print(W.is_leaf, W.grad, logp.grad_fn.name(), loss.grad_fn.next_functions[1][0].name())
print(logp.exp().sum(1).allclose(torch.ones(30)))
