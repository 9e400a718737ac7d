"""What `bank.check` looks at, by kind: rows, and files."""
