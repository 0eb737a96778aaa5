"""The published folder: card, metadata, gates, push."""
