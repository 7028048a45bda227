import torch

x = torch.tensor([2.0, -1.0], dtype=torch.float64, requires_grad=True)


def f(x):
    return (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2


for step in range(8):
    y = f(x)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    H = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)])
    print(step, f"{y.item():.6f}", [f"{v:.6f}" for v in x.tolist()], f"{torch.det(H).item():.3f}")
    with torch.no_grad():
        x -= torch.linalg.solve(H, g)
print(g.grad_fn is not None, H.requires_grad, x.requires_grad, x.is_leaf, x._version)
print(torch.autograd.functional.hessian(f, torch.tensor([1.0, 1.0])))
