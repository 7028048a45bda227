"""PyTorch's words about files of `torch.save`, and those of this library where it reads less."""

NOT_WRITABLE = "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
NOT_SEEKABLE = (
    "'{kind}' object has no attribute '{method}'. You can only torch.load from a file that is seekable. Please "
    "pre-load the data into a buffer like io.BytesIO and try to load from it instead."
)
LOOKS_LIKE_SCRIPT = (
    "'torch.load' received a zip file that looks like a TorchScript archive dispatching to 'torch.jit.load' (call "
    "'torch.jit.load' directly to silence this warning)"
)
SCRIPT_IS_NO_WEIGHTS = "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. {unsafe}"
SCRIPT = "This file holds a TorchScript program; funcgrad.torch has no torch.jit to load it with"
UNNAMED_STORAGE = "The file has bytes of a storage that nothing in it names: {found}"
NOT_A_PART = "A part of a storage is a name, an offset and a size, not {found}"
STORAGE_SIZE = "storage has wrong size: expected {expected} got {got}"
UNEXPECTED_END = "unexpected EOF, expected {missing} more bytes. The file might be corrupted."
NOT_A_STORAGE = "A storage has a type, a key, a place and a number of elements, and nothing else"
CUDA_STORAGE = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on "
    "a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)
UNKNOWN_LOCATION = "don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location})"
REFUSED_GLOBAL = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps "
    "only if you trust the source of the checkpoint\x1b[0m. \n"
    "\t(1) {unsafe}\n"
    "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error "
    "message.\n"
    "\tWeightsUnpickler error: {message}"
)
FILE_AN_ISSUE = (
    "Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: "
    "WeightsUnpickler error: "
)
SEE_LOAD = (
    "{text}\n"
    "\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
NO_FOLDER = "[enforce fail at inline_container.cc:180] . file in archive is not in a subdirectory: {first}"
OTHER_FOLDER = (
    "[enforce fail at inline_container.cc:340] . file in archive is not in a subdirectory {folder}/: {outside}"
)
RECORD_SIZE = (
    "record size ({size} bytes) does not match expected size ({expected} bytes = {expected} elements * 1 "
    "bytes/element) for dtype Byte"
)
COMPRESSED = (
    "The record {name} of this file is compressed. torch.save stores records as they are, and with weights_only=True "
    "no others are read: a small file could fill the memory. Save the object again with torch.save, or, if you trust "
    "the source of the file, load it with weights_only=False."
)
NO_VERSION = (
    'Expected hasRecord("version") to be true, but got false.  (Could this error message be improved?  If so, please '
    "report an enhancement request to PyTorch.)"
)
VERSION_NO_NUMBER = "[enforce fail at inline_container.cc:215] . Couldn't parse the version {text} as Long Long."
VERSION_TOO_OLD = (
    "[enforce fail at inline_container.cc:219] . Attempted to read a PyTorch file with version {text}, but the "
    "minimum supported version for reading is {oldest}. Your PyTorch script module file is too old. Please regenerate "
    "it with latest version of PyTorch to mitigate this issue."
)
VERSION_TOO_NEW = (
    "[enforce fail at inline_container.cc:230] . Attempted to read a PyTorch file with version {text}, but the "
    "maximum supported version for reading is {newest}. The version of your PyTorch installation may be too old, "
    "please upgrade PyTorch to latest version to mitigate this issue."
)
READER_FAILED = (
    "PytorchStreamReader failed {what}: {why}. This is an internal miniz error. If you are seeing this error, there "
    "is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved "
    "properly, was transferred incorrectly, or the file was modified after saving."
)
KEY_TOO_LARGE = "A key of a dict, or a member of a set, is a tuple of more than {size} parts"
OWN_ATTRIBUTE = "Can only set attributes that {kind} does not have itself, but got {name!r}"
BLOCKED_GLOBAL = "Trying to load unsupported GLOBAL {full} whose module {module} is blocked."
UNKNOWN_GLOBAL = (
    "Unsupported global: GLOBAL {full} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{full}])` or the `torch.serialization.safe_globals([{full}])` context "
    "manager to allowlist this global if you trust this class/function."
)
UNKNOWN_FUNCTION = "Trying to call reduce for unrecognized function {found}{owner}"
NEW_OF_OTHER = (
    "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got {found}"
)
BUILD_OF_OTHER = (
    "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got {kind}"
)
ITEMS_OF_OTHER = "Can only {code} for dict, collections.OrderedDict, collections.Counter, but got {kind}"
PERSISTENT_ID = "persistent_load id must be tuple or int, but got {kind}"
OTHER_PROTOCOL = (
    "Detected pickle protocol {version} in the checkpoint, which was not the default pickle protocol used by "
    "`torch.load` (2). The weights_only Unpickler might not support all instructions implemented by this protocol, "
    "please file an issue for adding support if you encounter this."
)
SEVERAL_TYPES = "Cannot save multiple tensors or storages that view the same data as different types"
NO_SOURCE = (
    "Couldn't retrieve source code for container of type {name}. It won't be checked for correctness upon loading."
)
OTHER_SOURCE = (
    "source code of class '{name}' has changed. you can retrieve the original source code by accessing the object's "
    "source attribute or set `torch.nn.Module.dump_patches = True` and use the patch tool to revert the changes."
)
MMAP_FLAGS = (
    "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got "
    "{flags}"
)
MMAP_OF_OLD_FILE = (
    "mmap can only be used with files saved with `torch.save({file}, _use_new_zipfile_serialization=True), please "
    "torch.save your checkpoint with this option in order to use mmap."
)
NO_ARCHIVE = "Expected input to be a checkpoint returned by torch.save"
