"""What can be wrong with a motion, one kind of trouble a function: a Patient in, Findings out."""
