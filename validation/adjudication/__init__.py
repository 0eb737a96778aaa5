"""Adjudication: from several answers to gold, with a ledger that says why each item was kept or not."""
