"""The parts of loaders: reading samples, joining them, and the processes that do it."""

from __future__ import annotations

MP_STATUS_CHECK_INTERVAL = 5.0
"""How many seconds a process waits for another before it looks whether that is still there."""
