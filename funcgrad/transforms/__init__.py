"""The transforms, one to a file."""
