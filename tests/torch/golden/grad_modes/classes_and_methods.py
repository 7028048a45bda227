import torch


class Model:
    def __init__(self):
        self.w = torch.tensor([1.0, 2.0], requires_grad=True)

    def loss(self, x):
        return (self.w * x).sum()

    @torch.no_grad()
    def predict(self, x):
        """Predicts."""
        return (self.w * x).sum()


m = Model()
x = torch.tensor([3.0, 4.0])
print(m.loss(x), m.predict(x), m.predict.__doc__, Model.predict.__name__)
m.loss(x).backward()
print(m.w.grad)
with torch.inference_mode():
    print(m.loss(x), m.predict(x).is_inference())
