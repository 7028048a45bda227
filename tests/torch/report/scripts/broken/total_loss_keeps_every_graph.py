# expect: error graph-of-earlier-batches-freed total_loss
# check: raised("Trying to backward through the graph a second time")
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Sigmoid(), torch.nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(8, 3), torch.rand(8, 1)) for _ in range(4)]

for epoch in range(2):
    total_loss = 0
    for x, y in batches:
        optimizer.zero_grad()
        total_loss += torch.nn.functional.mse_loss(model(x), y)  # <- here
        total_loss.backward()  # <- here
        optimizer.step()
    print("epoch", epoch, "mean loss", total_loss.item() / len(batches))
