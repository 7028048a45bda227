import torch

try:
    with torch.autograd.detect_anomaly():
        raise ValueError("inside")
except ValueError as e:
    print(e, torch.is_anomaly_enabled())
try:
    torch.autograd.set_detect_anomaly(True)(lambda x: x)
except TypeError as e:
    print(e, torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(False)
guard = torch.autograd.set_detect_anomaly(True, check_nan=False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
with guard:
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
