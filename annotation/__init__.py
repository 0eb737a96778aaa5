"""Campaigns in Label Studio: from a sample to trustworthy annotations."""
