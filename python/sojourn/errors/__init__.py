"""What is said where something cannot be taken: one sentence, and what was meant."""
