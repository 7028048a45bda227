"""Which of several equal elements a partial sort puts where.

torch selects with the algorithms of the C++ standard library and with a quickselect of its own. Both move equal
elements about, so which of them is found, and so where a gradient goes, is a matter of the algorithm. Where there are
ties the same steps are gone here, on lists of Python ints that stand for the elements: their ranks.

The algorithms: D. R. Musser, "Introspective sorting and selection algorithms" (1997); C. A. R. Hoare, "Algorithm 65:
find" (1961), with the median of three as pivot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.base.dtypes import sortable

THRESHOLD = 16
"""Ranges up to this length are left to insertion sort."""


def ranks(row: np.ndarray) -> np.ndarray:
    """For each element how many different ones are smaller; nan counts as the largest, and all nan as equal."""
    return np.unique(sortable(row), return_inverse=True)[1].reshape(-1)


class Range:
    """Keys to be sorted, with the places they came from."""

    __slots__ = ("items", "keys")

    def __init__(self, keys: list) -> None:
        self.keys = keys
        self.items = list(range(len(keys)))

    def less(self, i: int, j: int) -> bool:
        return self.keys[i] < self.keys[j]

    def swap(self, i: int, j: int) -> None:
        for a in (self.keys, self.items):
            a[i], a[j] = a[j], a[i]

    # The standard library's.

    def nth_element(self, first: int, nth: int, last: int) -> None:
        """Bring to `nth` what would be there if the range were sorted, with nothing larger before it."""
        if first == last or nth == last:
            return
        depth = 2 * ((last - first).bit_length() - 1)
        while last - first > 3:
            if not depth:
                self._heap_select(first, nth + 1, last)
                self.swap(first, nth)
                return
            depth -= 1
            cut = self._partition(first, last)
            if cut <= nth:
                first = cut
            else:
                last = cut
        self._insertion_sort(first, last)

    def sort(self, first: int, last: int) -> None:
        """Sort; equal elements come in any order."""
        if first == last:
            return
        self._introsort(first, last, 2 * ((last - first).bit_length() - 1))
        if last - first > THRESHOLD:
            self._insertion_sort(first, first + THRESHOLD)
            for i in range(first + THRESHOLD, last):
                self._insert(i)
        else:
            self._insertion_sort(first, last)

    def partial_sort(self, first: int, middle: int, last: int) -> None:
        """Bring the smallest elements, sorted, into the range up to `middle`."""
        self._heap_select(first, middle, last)
        while middle - first > 1:
            middle -= 1
            self._pop_heap(first, middle, middle)

    def _introsort(self, first: int, last: int, depth: int) -> None:
        while last - first > THRESHOLD:
            if not depth:
                self.partial_sort(first, last, last)
                return
            depth -= 1
            cut = self._partition(first, last)
            self._introsort(cut, last, depth)
            last = cut

    def _partition(self, first: int, last: int) -> int:
        """Split the range at the median of three of its elements, which goes to the front."""
        self._median_to(first, first + 1, first + (last - first) // 2, last - 1)
        pivot, i, j = self.keys[first], first + 1, last
        while True:
            while self.keys[i] < pivot:
                i += 1
            j -= 1
            while pivot < self.keys[j]:
                j -= 1
            if i >= j:
                return i
            self.swap(i, j)
            i += 1

    def _median_to(self, to: int, a: int, b: int, c: int) -> None:
        less = self.less
        if less(a, b):
            median = b if less(b, c) else c if less(a, c) else a
        else:
            median = a if less(a, c) else c if less(b, c) else b
        self.swap(to, median)

    def _insertion_sort(self, first: int, last: int) -> None:
        for i in range(first + 1, last):
            if self.less(i, first):
                for a in (self.keys, self.items):
                    a[first : i + 1] = [a[i], *a[first:i]]
            else:
                self._insert(i)

    def _insert(self, i: int) -> None:
        """Move an element down to where it belongs, which is not before the beginning."""
        key, item = self.keys[i], self.items[i]
        while key < self.keys[i - 1]:
            self.keys[i], self.items[i] = self.keys[i - 1], self.items[i - 1]
            i -= 1
        self.keys[i], self.items[i] = key, item

    def _heap_select(self, first: int, middle: int, last: int) -> None:
        n = middle - first
        for parent in range((n - 2) // 2, -1, -1):
            self._sift(first, parent, n, self.keys[first + parent], self.items[first + parent])
        for i in range(middle, last):
            if self.less(i, first):
                self._pop_heap(first, middle, i)

    def _pop_heap(self, first: int, last: int, to: int) -> None:
        """Put the largest of the heap to `to`, and what was there into the heap."""
        key, item = self.keys[to], self.items[to]
        self.keys[to], self.items[to] = self.keys[first], self.items[first]
        self._sift(first, 0, last - first, key, item)

    def _sift(self, first: int, hole: int, n: int, key: Any, item: int) -> None:
        """Fill a hole in a heap: the larger children move up as far as it goes, then the element climbs."""
        keys, items, top, child = self.keys, self.items, hole, hole
        while child < (n - 1) // 2:
            child = 2 * (child + 1)
            if keys[first + child] < keys[first + child - 1]:
                child -= 1
            keys[first + hole], items[first + hole] = keys[first + child], items[first + child]
            hole = child
        if not n % 2 and child == (n - 2) // 2:
            child = 2 * child + 1
            keys[first + hole], items[first + hole] = keys[first + child], items[first + child]
            hole = child
        parent = (hole - 1) // 2
        while hole > top and keys[first + parent] < key:
            keys[first + hole], items[first + hole] = keys[first + parent], items[first + parent]
            hole = parent
            parent = (hole - 1) // 2
        keys[first + hole], items[first + hole] = key, item

    # torch's own.

    def quickselect(self, k: int) -> None:
        """Bring to k what would be there if all were sorted."""
        keys, swap = self.keys, self.swap
        low, high = 0, len(keys) - 1
        while high > low:
            if high == low + 1:
                if keys[low] > keys[high]:
                    swap(low, high)
                return
            swap(low + (high - low) // 2, low + 1)
            if keys[low + 1] > keys[high]:
                swap(low + 1, high)
            if keys[low] > keys[high]:
                swap(low, high)
            if keys[low + 1] > keys[low]:
                swap(low + 1, low)
            i, j, pivot = low + 1, high, keys[low]
            while True:
                i += 1
                while pivot > keys[i]:
                    i += 1
                j -= 1
                while keys[j] > pivot:
                    j -= 1
                if j < i:
                    break
                swap(i, j)
            swap(low, j)
            if j <= k:
                low = i
            if j >= k:
                high = j - 1


def kth(row: np.ndarray, k: int) -> int:
    """The place of the k-th smallest element, as torch's quickselect finds it."""
    r = Range(ranks(row).tolist())
    r.quickselect(k)
    return r.items[k]


def top(row: np.ndarray, k: int, largest: bool, sort: bool) -> list[int]:
    """The places of the k largest (or smallest) elements, as torch.topk gives them."""
    found = ranks(row)
    r = Range((-found if largest else found).tolist())
    n = len(r.keys)
    if k * 64 <= n:
        r.partial_sort(0, k, n)
    elif k:
        r.nth_element(0, k - 1, n)
        if sort:
            r.sort(0, k - 1)
    return r.items[:k]


def order(row: np.ndarray, descending: bool) -> list[int]:
    """The places of the elements in order, as torch.sort gives them if it need not be stable."""
    found = ranks(row)
    r = Range((-found if descending else found).tolist())
    r.sort(0, len(r.keys))
    return r.items


def mode(row: np.ndarray) -> int:
    """The place of the most frequent element, as torch.mode finds it: the last of its run after sorting.

    Each nan is an element of its own, and is not smaller or larger than any.
    """
    row = sortable(row)
    keys = row if row.size <= THRESHOLD else np.unique(row, return_inverse=True, equal_nan=False)[1].reshape(-1)
    r = Range(keys.tolist())
    r.sort(0, len(r.keys))
    keys = np.array(r.keys)
    ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True))
    return r.items[ends[np.argmax(np.diff(ends, prepend=-1))]]
