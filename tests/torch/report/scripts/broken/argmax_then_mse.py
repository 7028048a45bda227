# expect: loss argmax-has-no-gradient classifier.0.weight, classifier.0.bias, classifier.2.weight, classifier.2.bias
# check: missing(*classifier.parameters())
# Three classes; "accuracy as loss".
import torch
from torch import nn, optim

torch.manual_seed(3)
N, D, C = 90, 5, 3
centers = 3 * torch.randn(C, D)
labels = torch.arange(N) % C
inputs = centers[labels] + torch.randn(N, D)

classifier = nn.Sequential(nn.Linear(D, 10), nn.ReLU(), nn.Linear(10, C))
optimizer = optim.RMSprop(classifier.parameters(), lr=1e-3)
mse = nn.MSELoss()


def train_one_epoch():
    running = 0.0
    for start in range(0, N, 30):
        x, y = inputs[start : start + 30], labels[start : start + 30]
        optimizer.zero_grad()
        scores = classifier(x)
        predicted = scores.argmax(dim=1).float()  # <- here
        predicted.requires_grad_(True)
        loss = mse(predicted, y.float())
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running


for epoch in range(5):
    print("epoch", epoch, "loss", train_one_epoch())
