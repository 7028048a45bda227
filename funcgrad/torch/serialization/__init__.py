"""`torch.save` and `torch.load`, in the format of torch's own files.

A file is a zip archive: `data.pkl` is a pickle in which storages are named by numbers, `data/0` and so on are their
bytes. Functions and classes in it go by torch's names, so that either library reads what the other has written.
Files of PyTorch before 1.6 are read too: a row of pickles, with the bytes of the storages after them.
https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.serialization.loading import load as load
from funcgrad.torch.serialization.locations import default_restore_location as default_restore_location
from funcgrad.torch.serialization.locations import location_tag as location_tag
from funcgrad.torch.serialization.locations import register_package as register_package
from funcgrad.torch.serialization.locations import validate_cuda_device as validate_cuda_device
from funcgrad.torch.serialization.old_files import SourceChangeWarning as SourceChangeWarning
from funcgrad.torch.serialization.options import LoadEndianness as LoadEndianness
from funcgrad.torch.serialization.options import get_crc32_options as get_crc32_options
from funcgrad.torch.serialization.options import get_default_load_endianness as get_default_load_endianness
from funcgrad.torch.serialization.options import get_default_mmap_options as get_default_mmap_options
from funcgrad.torch.serialization.options import set_crc32_options as set_crc32_options
from funcgrad.torch.serialization.options import set_default_load_endianness as set_default_load_endianness
from funcgrad.torch.serialization.options import set_default_mmap_options as set_default_mmap_options
from funcgrad.torch.serialization.options import skip_data as skip_data
from funcgrad.torch.serialization.saving import save as save
from funcgrad.torch.serialization.trusted_names import add_safe_globals as add_safe_globals
from funcgrad.torch.serialization.trusted_names import clear_safe_globals as clear_safe_globals
from funcgrad.torch.serialization.trusted_names import get_safe_globals as get_safe_globals
from funcgrad.torch.serialization.trusted_names import safe_globals as safe_globals
from funcgrad.torch.serialization.unsafe_globals import (
    get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint,
)

publish(__name__)
