"""Question type, discipline, sub-discipline and course, each with a confidence."""
