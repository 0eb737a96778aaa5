"""Campaigns in Label Studio: from a built set to a pile of trustworthy annotations."""
