"""Which items are the same question: grams, candidates, verdict, clusters."""
