# expect: loss indices-have-no-gradient pool.score.weight, pool.score.bias
# check: missing(pool.score.weight, pool.score.bias) and not missing(classify.weight)
import torch
from torch import nn


class TopKPool(nn.Module):
    """Keeps the k best nodes of a graph."""

    def __init__(self, width, k):
        super().__init__()
        self.score = nn.Linear(width, 1)
        self.k = k

    def forward(self, nodes):
        rank = self.score(nodes).squeeze(-1)
        keep = rank.topk(self.k, dim=-1).indices  # <- here
        return torch.gather(nodes, 1, keep.unsqueeze(-1).expand(-1, -1, nodes.shape[-1]))


torch.manual_seed(0)
embed, pool, classify = nn.Linear(3, 6), TopKPool(6, 4), nn.Linear(6, 2)
opt = torch.optim.Adam([*embed.parameters(), *pool.parameters(), *classify.parameters()], lr=1e-2)
graphs, kinds = torch.randn(12, 10, 3), torch.randint(2, (12,))
for epoch in range(5):
    h = torch.relu(embed(graphs))
    logits = classify(pool(h).mean(1))
    loss = nn.functional.cross_entropy(logits, kinds)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
