# expect: zero softmax-over-a-dimension-of-size-one clf.0.weight, clf.2.weight, clf.2.bias
# check: zero(*clf.parameters())
import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.randn(100, 4)
y = (X[:, 0] > X[:, 1]).float().unsqueeze(1)

clf = nn.Sequential(
    nn.Linear(4, 10),
    nn.ReLU(),
    nn.Linear(10, 1),
    nn.Softmax(dim=1),  # <- here
)
opt = torch.optim.Adam(clf.parameters(), lr=0.01)
bce = nn.BCELoss()

for i in range(10):
    prob = clf(X)  # <- here
    loss = bce(prob, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item(), ((prob > 0.5) == y).float().mean().item())
