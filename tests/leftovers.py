"""What a call leaves behind: objects in reference cycles, and arrays that somebody still holds."""

import contextlib
import gc
import tracemalloc
from collections import Counter
from collections.abc import Callable

import numpy as np

_ARRAYS = [tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)]


def leftovers(call: Callable[[], object], expected: tuple[type[BaseException], ...] = ()) -> tuple[Counter[str], int]:
    """The types of the objects in cycles, and the bytes of arrays, that are there after a call and were not before.

    Arguments:
        call: gives nothing that should live on. It is called twice before it counts, for what is made on first use.
        expected: exceptions that it may raise.
    """

    def run() -> None:
        with contextlib.suppress(*expected):
            call()

    run()
    run()
    gc.collect()
    gc.freeze()
    gc.disable()
    tracemalloc.start()
    try:
        run()
        snapshot = tracemalloc.take_snapshot().filter_traces(_ARRAYS)
        arrays = sum([t.size for t in snapshot.traces])
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return Counter(getattr(o, "__qualname__", "") or type(o).__name__ for o in gc.garbage), arrays
    finally:
        tracemalloc.stop()
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()  # what is frozen stays so: thawed, all that lives would be looked at in each further call
