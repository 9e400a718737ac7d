"""From a sample to a score that holds up."""
