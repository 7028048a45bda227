"""Averages of models."""

from funcgrad import torch


def test_update_bn_is_for_batch_normalisation_alone():
    batch, instance = torch.nn.BatchNorm1d(2), torch.nn.InstanceNorm1d(2, track_running_stats=True)
    instance.running_mean.fill_(2.0)
    data = [torch.full((2, 2, 3), x) for x in (1.0, 5.0)]
    for model in batch, instance, torch.nn.Sequential(instance, batch):
        torch.optim.swa_utils.update_bn(data, model)
    # the mean of means for the one; the other was not reset, and moved by its momentum in each of two steps
    assert torch.allclose(instance.running_mean, torch.tensor((2.0 * 0.9 + 0.1) * 0.9 + 0.5))
    assert batch.running_mean.tolist() == [0.0, 0.0]  # what the other one gave it
    torch.optim.swa_utils.update_bn(data, batch)
    assert batch.running_mean.tolist() == [3.0, 3.0]
