"""Pages for looking: a document as it was read, and its questions as they were cut; no network needed."""
