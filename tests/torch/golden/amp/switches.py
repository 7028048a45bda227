import torch

for make in (
    lambda: torch.autocast(torch.device("cpu")),
    lambda: torch.autocast("foo"),
    lambda: torch.autocast("meta"),
    lambda: torch.autocast("privateuseone"),
    lambda: torch.autocast("cpu")(3),
    lambda: torch.autocast("cpu", dtype=torch.float32)._enabled,
    lambda: torch.autocast("cuda")._enabled,
    lambda: torch.autocast("xpu")._enabled,
    lambda: torch.amp.is_autocast_available("cpu"),
    lambda: torch.amp.is_autocast_available("vulkan"),
    lambda: torch.is_autocast_enabled(3),
    lambda: torch.is_autocast_enabled("cpu", "x"),
    lambda: torch.set_autocast_enabled("cpu"),
    lambda: torch.set_autocast_enabled("cpu", 3),
    lambda: torch.set_autocast_enabled(False),
    lambda: torch.set_autocast_dtype("cpu", 3),
    lambda: torch.get_autocast_dtype(),
    lambda: [torch.get_autocast_dtype(k) for k in ("cpu", "cuda", "xpu", "hpu", "mps", "xla", "mtia")],
    lambda: [torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()],
    lambda: torch.set_autocast_cache_enabled(3),
    lambda: [torch.set_autocast_cache_enabled(False), torch.is_autocast_cache_enabled()],
    lambda: torch.set_autocast_cache_enabled(True),
    lambda: torch.clear_autocast_cache(),
    lambda: type(torch.cpu.amp.autocast()),
    lambda: type(torch.cpu.amp.GradScaler()),
    lambda: type(torch.cuda.amp.autocast()),
    lambda: type(torch.cuda.amp.GradScaler()),
    lambda: torch.cuda.amp.custom_fwd(lambda ctx, x: x).__name__,
    lambda: torch.cuda.amp.custom_bwd(lambda ctx, x: x).__name__,
    lambda: torch.amp.custom_fwd(lambda ctx, x: x),
    lambda: torch.amp.custom_fwd(lambda ctx, x: x, device_type=3),
    lambda: torch.amp.custom_bwd(lambda ctx, x: x, device_type=3),
    lambda: [torch.autocast, torch.amp.GradScaler, torch.GradScaler is torch.amp.GradScaler],
):
    try:
        print(make())
    except Exception as e:
        print(type(e).__name__, e)
