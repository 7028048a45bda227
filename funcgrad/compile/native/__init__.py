"""Native code for the NumPy backend, made by LLVM (the extra `native`); llvmlite is imported when it is first used."""
