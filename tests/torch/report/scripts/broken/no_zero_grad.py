# expect: doubled gradients-never-cleared model.linear1.weight, model.linear1.bias, model.linear2.weight, model.linear2.bias
# check: doubled(*model.parameters())
import torch


class TwoLayerNet(torch.nn.Module):
    def __init__(self, D_in, H, D_out):
        super().__init__()
        self.linear1 = torch.nn.Linear(D_in, H)
        self.linear2 = torch.nn.Linear(H, D_out)

    def forward(self, x):
        h_relu = self.linear1(x).clamp(min=0)
        return self.linear2(h_relu)


torch.manual_seed(0)
x, y = torch.randn(64, 20), torch.randn(64, 2)
model = TwoLayerNet(20, 10, 2)
criterion = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for t in range(30):
    y_pred = model(x)
    loss = criterion(y_pred, y)
    loss.backward()  # <- here
    optimizer.step()
    if t % 10 == 9:
        print(t, loss.item())
