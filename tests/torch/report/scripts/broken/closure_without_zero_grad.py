# expect: doubled gradients-never-cleared theta
# check: doubled(theta)
import torch

theta = torch.tensor([-1.2, 1.0], requires_grad=True)
optimizer = torch.optim.LBFGS([theta], lr=0.1, max_iter=4)


def rosenbrock(t):
    return (1 - t[0]) ** 2 + 100 * (t[1] - t[0] ** 2) ** 2


def closure():
    loss = rosenbrock(theta)
    loss.backward()  # <- here
    return loss


for i in range(5):
    print(i, optimizer.step(closure).item())
