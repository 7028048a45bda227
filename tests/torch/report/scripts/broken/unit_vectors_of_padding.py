# expect: nonfinite division-by-a-norm-of-zero emb.weight, project.weight
# check: nonfinite(project.weight)
import torch
import torch.nn as nn

torch.manual_seed(0)
emb = nn.Embedding(30, 8, padding_idx=0)
project = nn.Linear(8, 4, bias=False)


def sentence_vectors(ids):
    vectors = project(emb(ids))
    unit = vectors / vectors.norm(dim=-1, keepdim=True)  # <- here
    return unit.sum(dim=1)


sentences = torch.randint(1, 30, (6, 7))
sentences[3:, 5:] = 0
optimizer = torch.optim.Adam([*emb.parameters(), *project.parameters()], lr=1e-3)
for step in range(3):
    s = sentence_vectors(sentences)
    loss = (s @ s.T - torch.eye(6)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
