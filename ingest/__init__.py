"""One document in, questions out; pure functions."""
