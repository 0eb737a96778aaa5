"""The commands, one module a command group; each is a thin pair over a library function."""
