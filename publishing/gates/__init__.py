"""What must hold before a set is published, one module a gate; ``publishing.lint`` runs them."""
