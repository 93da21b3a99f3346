"""Programs that others wrote, asked what they see in our captures, and their definitions of what they count."""
