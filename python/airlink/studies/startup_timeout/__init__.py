"""Paper 003: TCP's initial timeout under proportional fair scheduling."""
