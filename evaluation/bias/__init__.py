"""Self-preference of judges: pairs of equal quality, rates, tests, classes, mitigation, and the report."""
