"""Speed against named peers, as ratios taken in one run: ``python -m benchmarks [NAME...]``."""
