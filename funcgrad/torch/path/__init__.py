"""A folder for `sys.path`: a process that a program spawns finds the module torch in it."""
