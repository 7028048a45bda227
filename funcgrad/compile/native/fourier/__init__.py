"""Fourier transforms in machine code: many lines at once, one in each lane of a register."""
