"""What is measured beside the cases: each function takes the number of rounds and gives rows of the report."""

from measures import arithmetic, imports, journal, memory, tapes

MEASURES = {
    "arithmetic": ("arithmetic on arrays outside any transform, against NumPy", arithmetic.measure),
    "tape": ("tapes of many scalar operations: time per operation, forward and back", tapes.measure_scalars),
    "indexing": ("gradient of a loop that reads each of n elements: time per element", tapes.measure_indexing),
    "residuals": ("what a tape keeps", tapes.measure_residuals),
    "journal": ("the torch face with the journal on, against off", journal.measure),
    "memory": ("growth of the resident memory's peak by the gradient of the large network", memory.measure),
    "start": ("user time of a script that prints a gradient with torch", imports.measure_script),
    "import": ("user time of a Python process that imports", imports.measure),
}

__all__ = ["MEASURES"]
