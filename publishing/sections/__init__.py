"""What the sections of the card say, as values for its templates: one module a group of sections."""
