# expect: zero sign-has-zero-gradient layer.weight
# check: zero(layer.weight) and not zero(layer.bias)
import torch
import torch.nn.functional as F


class BinaryLinear(torch.nn.Linear):
    def forward(self, x):
        binary = torch.sign(self.weight)  # <- here
        return F.linear(x, binary, self.bias)


torch.manual_seed(0)
layer = BinaryLinear(7, 3)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
x = torch.randn(50, 7)
truth = x @ torch.randn(7, 3).sign()

for step in range(30):
    optimizer.zero_grad()
    F.mse_loss(layer(x), truth).backward()
    optimizer.step()

print(layer.weight.grad.abs().max(), layer.bias.grad.abs().max())
