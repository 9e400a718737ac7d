"""Document in, Drafts out: sections, items, parts, options, answers and where they belong."""
