"""Keep freed memory for the next large array.

Differentiating a program on large arrays allocates and frees many blocks of the same size. The C library of Linux
hands blocks of this size back to the system as soon as they are free, and the next array pays for fresh pages: in the
gradient of eight elementwise operations on a million doubles, a third of the time (46 ms against 32).

glibc adapts: when a block of up to 32 MB is freed it concludes that blocks of this size come and go, and from then on
keeps up to twice as much for reuse (mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD). So freeing one such block,
which was never written to and so never had pages, is all it takes. Other systems are not affected.
"""

import numpy as np

_LARGEST = 31 << 20  # bytes; a little less than the largest size to which glibc adapts


def keep_freed_memory() -> None:
    """Let the C library see that large blocks come and go. Costs a few microseconds, once."""
    np.empty(_LARGEST, np.uint8)
