# check: sum(losses[-3:]) < sum(losses[:3])
# MoCo in small: keys without gradient, a queue of negatives
import torch
import torch.nn.functional as F

torch.manual_seed(0)
query_net = torch.nn.Linear(12, 6)
key_net = torch.nn.Linear(12, 6)
key_net.load_state_dict(query_net.state_dict())
queue = F.normalize(torch.randn(64, 6), dim=1)
pointer = 0
optimizer = torch.optim.SGD(query_net.parameters(), lr=0.5, momentum=0.9)
base = torch.randn(256, 12)
losses = []
for step in range(30):
    x = base[torch.randint(256, (16,))]
    q = F.normalize(query_net(x + 0.05 * torch.randn_like(x)), dim=1)
    with torch.no_grad():
        for pq, pk in zip(query_net.parameters(), key_net.parameters()):
            pk.copy_(0.9 * pk + 0.1 * pq)
        k = F.normalize(key_net(x + 0.05 * torch.randn_like(x)), dim=1)
    positive = (q * k).sum(1, keepdim=True)
    negative = q @ queue.clone().detach().T
    logits = torch.cat([positive, negative], 1) / 0.2
    loss = F.cross_entropy(logits, torch.zeros(16, dtype=torch.long))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    queue[pointer : pointer + 16] = k
    pointer = (pointer + 16) % 64
    losses.append(loss.item())
