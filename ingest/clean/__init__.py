"""Draft in, generative Questions out: text, prompts, quality flags."""
