# expect: loss written-under-no-grad writer.weight, writer.bias
# check: missing(writer.weight, writer.bias) and not missing(reader.weight)
import torch
import torch.nn as nn

torch.manual_seed(5)


class Memory(nn.Module):
    def __init__(self, slots, width):
        super().__init__()
        self.register_buffer("cells", torch.zeros(slots, width))

    def write(self, slot, value):
        # otherwise: "a view of a leaf Variable ... in-place"
        with torch.no_grad():
            self.cells[slot] = value  # <- here

    def read(self, query):
        weights = torch.softmax(query @ self.cells.T, dim=-1)
        return weights @ self.cells


writer, reader = nn.Linear(6, 4), nn.Linear(6, 4)
memory = Memory(slots=5, width=4)
optimizer = torch.optim.Adam([*writer.parameters(), *reader.parameters()], lr=1e-2)

facts = torch.randn(5, 6)
questions = facts + 0.1 * torch.randn(5, 6)
answers = torch.eye(5)[:, :4]
for epoch in range(10):
    for slot, fact in enumerate(facts):
        memory.write(slot, writer(fact))
    loss = ((memory.read(reader(questions)) - answers) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
