import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        order = x.argsort()
        rank = order.float()
        ctx.mark_non_differentiable(order, rank)
        ctx.save_for_backward(order)
        return x[order], order, rank

    @staticmethod
    def backward(ctx, g, g_order, g_rank):
        print(g, g_order, g_rank)
        (order,) = ctx.saved_tensors
        result = torch.zeros_like(g)
        result[order] = g
        return result


x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
y, order, rank = Sort.apply(x)
print(y, order, rank)
print(y.requires_grad, order.requires_grad, rank.requires_grad, rank.is_leaf)
(y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad)
