"""`torch.storage`: the classes of storages."""

from funcgrad.torch.base.storage import TypedStorage as TypedStorage
from funcgrad.torch.base.storage import UntypedStorage as UntypedStorage
