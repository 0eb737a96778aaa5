"""Examples are made here: spans from templates and perturbations, pairs from corpora."""
