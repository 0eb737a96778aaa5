"""Checks of a built set: each module proves one thing and returns its faults."""
