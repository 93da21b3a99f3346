"""What others wrote, run on the same cases: the results that airlink is held against, and how to make them again."""
