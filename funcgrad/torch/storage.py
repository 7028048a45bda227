"""`torch.storage`: the classes of storages."""

from funcgrad.core.faces import publish
from funcgrad.torch.base.storage import TypedStorage as TypedStorage
from funcgrad.torch.base.storage import UntypedStorage as UntypedStorage

publish(__name__)
