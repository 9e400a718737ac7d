"""From loose lines on a page to reading order, with page furniture set apart."""
