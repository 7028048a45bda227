"""Words of `torch.utils.data`: datasets, samplers, loaders and their worker processes."""

# Datasets.
TWO_KINDS_OF_STACK = (
    "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are "
    "given."
)
STACK_SIZE = "Nested dataset's output size mismatch. Expected {expected}, got {got}"
INDEX_BEYOND = "absolute value of index should not exceed dataset length"
OLD_SIZES = "`cummulative_sizes` attribute is renamed to `cumulative_sizes`"
SUBSET_ITEMS = (
    "{name} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, you must "
    "also override __getitems__ to ensure DataLoader works correctly with your custom logic. "
    "A simple implementation:\n\n"
    "def __getitems__(self, indices):\n"
    "    return [self.__getitem__(idx) for idx in indices]"
)
EMPTY_SPLIT = "Length of split at index {index} is 0. This might result in an empty dataset."
SPLIT_SUM = "Sum of input lengths does not equal the length of the input dataset!"

# Samplers.
NUM_SAMPLES = "num_samples should be a positive integer value, but got num_samples={num_samples}"
REPLACEMENT = "replacement should be a boolean value, but got replacement={replacement}"
WEIGHTS_SHAPE = "weights should be a 1d sequence but given weights have shape {shape}"
BATCH_SIZE = "batch_size should be a positive integer value, but got batch_size={batch_size}"
DROP_LAST = "drop_last should be a boolean value, but got drop_last={drop_last}"
NO_PROCESS_GROUP = "Requires distributed package to be available"
RANK = "Invalid rank {rank}, rank should be in the interval [0, {last}]"

# Collation.
NOT_COLLATED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}"
SPARSE_BATCH = (
    "Batches of {kind} tensors are not currently supported by the default collate_fn; "
    "please provide a custom collate_fn to handle them appropriately."
)

# Loaders.
NUM_WORKERS = "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
PREFETCH_ALONE = (
    "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, "
    "otherwise set prefetch_factor to None."
)
ITERABLE_WITH_OPTION = "DataLoader with IterableDataset: expected unspecified {option} option, but got {option}={value}"
BATCH_SAMPLER_ALONE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
NO_BATCHES_TO_DROP = "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
START_METHOD = (
    "multiprocessing_context option should specify a valid start method in {methods!r}, "
    "but got multiprocessing_context={given!r}"
)
CONTEXT_TYPE = (
    "multiprocessing_context option should be a valid context object or a string specifying the start method, "
    "but got multiprocessing_context={given}"
)
CONTEXT_ALONE = (
    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
    "but got num_workers={num_workers}"
)
SET_TOO_LATE = "{attribute} attribute should not be set after {loader} is initialized"
MANY_WORKERS = (
    "This DataLoader will create {workers} worker processes in total. {suggestion} Please be aware that excessive "
    "worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential "
    "slowness/freeze if necessary."
)
SUGGESTED_WORKERS = (
    "Our suggested max number of worker in current system is {most}{unsure}, which is smaller than what this "
    "DataLoader is going to create."
)
PINNED_WHERE = (
    "pin_memory_device is deprecated, the current accelerator will be used as the device,"
    "ignore pin_memory_device='{device}'."
)
NOT_PINNED = (
    "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
)
LONGER_THAN_SAID = (
    "Length of IterableDataset {dataset} was reported to be {length}(when accessing len(dataloader)), "
    "but {fetched} samples have been fetched. "
)
LONGER_WITH_WORKERS = (
    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica "
    "at each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for "
    "examples."
)

# Workers.
UNPICKLABLE_WORKER = (
    "Got pickle error when attempting to start a worker Process. This might be because the worker Process arguments "
    "are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX platforms to "
    "'forkserver', which requires the worker Process arguments to be picklable. You can also try "
    "multiprocessing.set_start_method('fork')."
)
WORKER_KILLED = "DataLoader worker (pid {pid}) is killed by signal: {signal}. "
WORKER_EXITED = (
    "DataLoader worker (pid {pid}) exited unexpectedly with exit code {code}. Details are lost due to "
    "multiprocessing. Rerunning with num_workers=0 may give better error trace."
)
