# expect: error backward-through-freed-graph rnn.weight_ih_l0, hidden
# check: raised("Trying to backward through the graph a second time")
# character-level RNN on one long text
import torch
import torch.nn as nn

torch.manual_seed(0)
text = torch.randint(0, 12, (1, 61))
embedding = nn.Embedding(12, 6)
rnn = nn.GRU(6, 10, batch_first=True)
output = nn.Linear(10, 12)
params = [*embedding.parameters(), *rnn.parameters(), *output.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-3)

hidden = torch.zeros(1, 1, 10)
for start in range(0, 60, 20):
    source = text[:, start : start + 20]
    target = text[:, start + 1 : start + 21]
    states, hidden = rnn(embedding(source), hidden)  # <- here
    loss = nn.functional.cross_entropy(output(states).flatten(0, 1), target.flatten())
    optimizer.zero_grad()
    loss.backward()  # <- here
    optimizer.step()
    print(start, loss.item())
